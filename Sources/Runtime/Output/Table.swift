import TidingsCore
package import TidingsJSON

/// JSON objects as a table for people. The members of the first object are the columns.
package struct Table {
    package let text: String

    /// The most characters of one cell. Longer text is cut; `-o json` shows all of it.
    private static let widestCell = 60

    package init(_ rows: [JSON]) {
        guard let first = rows.first?.objectValue else {
            text = ""
            return
        }
        let columns = first.entries.map(\.key)
        let cells = rows.map { row in columns.map { Self.cell(row[$0]) } }
        let widths = columns.indices.map { column in max(columns[column].count, cells.map { $0[column].count }.max() ?? 0) }
        func line(_ values: [String]) -> String {
            var line = ""
            for (value, width) in zip(values, widths) {
                line += value + String(repeating: " ", count: width - value.count + 2)
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        text = ([line(columns.map { $0.uppercased() })] + cells.map(line)).joined(separator: "\n")
    }

    /// The members of one object, each on a line.
    static func members(of object: JSON) -> String {
        let entries = object.objectValue?.entries ?? []
        let width = entries.map(\.key.count).max() ?? 0
        return entries.map { entry in
            entry.key + String(repeating: " ", count: width - entry.key.count + 2) + plain(entry.value)
        }.joined(separator: "\n")
    }

    /// A value as one short line.
    package static func cell(_ value: JSON?) -> String {
        let text = value.map(plain) ?? ""
        return text.count > widestCell ? text.prefix(widestCell - 1) + "…" : text
    }

    /// A value without quotes, on one line: stored text can neither steer a terminal nor reorder the cells beside it.
    package static func plain(_ value: JSON) -> String {
        let text =
            switch value {
            case .null: ""
            case .string(let string): string
            default: value.serialized
            }
        return text.printable
    }
}
