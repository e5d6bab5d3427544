package import TidingsJSON
import TidingsStore

/// A row of a report with every column that its reader asks for, each with a value that the reader takes.
///
/// The reader's own errors tell the columns: a row without a column, or with a value of another type, is a ``ReportError`` that names the
/// column. So a test needs no list of the columns beside the reader.
package struct MadeUpRow: Sendable {
    /// The columns in the order in which the reader asks for them.
    package private(set) var members = JSONObject()
    /// The columns that the reader takes as null.
    package private(set) var nullable: Set<String> = []

    /// - Parameters:
    ///   - known: the values of some columns. A column of a closed list of words needs one. The reader need not ask for each column.
    ///   - read: the reader.
    /// - Throws: an error of the reader that is no ``ReportError``, or ``Unreadable``.
    package init(_ known: JSONObject = JSONObject(), reading read: (JSON) throws -> Void) throws {
        var next = try Self.refused(members, by: read)
        while let column = next {
            guard members[column] == nil else { throw Unreadable(column: column) }
            next = try add(column, known[column], reading: read)
        }
        for entry in known.entries where members[entry.key] == nil { members[entry.key] = entry.value }
    }

    package var json: JSON { .object(members) }

    /// The row with these known values. The known values alone if no row can be made up.
    package static func json(_ known: JSON, reading read: (JSON) throws -> Void) -> JSON {
        (try? MadeUpRow(known.objectValue ?? JSONObject(), reading: read).json) ?? known
    }

    /// No value is one that the reader takes in the column.
    package struct Unreadable: Error, Sendable {
        let column: String
    }

    /// Adds a column. Returns the next column that the reader asks for.
    private mutating func add(_ column: String, _ known: JSON?, reading read: (JSON) throws -> Void) throws -> String? {
        members[column] = .null
        if try Self.refused(members, by: read) != column { nullable.insert(column) }
        for value in [known].compactMap(\.self) + Self.values(of: column) {
            members[column] = value
            let next = try Self.refused(members, by: read)
            if next != column { return next }
        }
        throw Unreadable(column: column)
    }

    /// The column that the reader misses, or whose value it cannot read. Nil if it takes the row.
    private static func refused(_ members: JSONObject, by read: (JSON) throws -> Void) throws -> String? {
        do {
            try read(.object(members))
            return nil
        } catch let error as ReportError {
            return error.column
        }
    }

    /// Values of each type that a report has. A column whose name ends with `_at` has times.
    private static func values(of column: String) -> [JSON] {
        let texts: [JSON] = column.hasSuffix("_at") ? [time, "text"] : ["text", time]
        let others: [JSON] = ["01a211a4-318c-7610-a6e0-44805af145a0", 1, true, ["text"], .object(JSONObject())]
        return texts + others
    }

    private static let time: JSON = "2026-11-25T07:38:22.989012+00:00"
}
