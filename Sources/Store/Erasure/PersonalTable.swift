/// A table of schema `tidings`: the columns in which a person can stand, the effect of an erasure on its rows, and the part of it that an
/// export has.
///
/// ``PersonalPlaces/tables`` has those of the store. A module has its own in ``Projection/personalTables``. A test compares both lists with
/// the migrated schema: a table or a column without an entry fails.
public struct PersonalTable: Sendable {
    /// The effect of an erasure on the rows of a person.
    public enum Erasure: Sendable, Hashable {
        /// Nothing: no column tells of a person.
        case untouched
        /// Nothing, for this reason: the rows tell of a person only in a form from which nobody reads it.
        case kept(String)
        /// The rows with the person in one of these columns are deleted, within the tenant in the column `tenant`.
        case deletesPerson([String])
        /// The rows are deleted in the transaction that deletes their notification, which this column names.
        case deletesWithNotification(String)
        /// The rows are deleted with the person's device, which this column names. The tenant is in the column `tenant`.
        case deletesWithDevice(String)
        /// A step of its own deletes the rows, or takes the person out of them.
        case step(ErasureStep)
    }

    /// The name without its schema.
    public let name: String
    public let erasure: Erasure
    /// Columns that hold or name a person, or something that the person was sent.
    public let personal: [String]
    public let other: [String]
    public let sections: [ExportSection]
    /// The reason why an export leaves out the whole table, although it has personal columns.
    public let notExported: String?

    /// - Parameters:
    ///   - personal: names of columns with white space between them, and so for `other`.
    ///   - notExported: required if there are personal columns and no sections.
    public init(
        _ name: String, _ erasure: Erasure, personal: String = "", other: String = "", sections: [ExportSection] = [],
        notExported: String? = nil
    ) {
        self.name = name
        self.erasure = erasure
        self.personal = personal.split(whereSeparator: \.isWhitespace).map(String.init)
        self.other = other.split(whereSeparator: \.isWhitespace).map(String.init)
        self.sections = sections
        self.notExported = notExported
    }

    /// A table whose rows have a type, which says of each of its columns whether it tells of a person.
    ///
    /// - Parameters:
    ///   - personal: further columns of the table, which no INSERT sets, and so for `other`.
    ///   - notExported: required if there are personal columns and no sections.
    package init<Row: Sendable>(
        _ table: Table<Row>, _ erasure: Erasure, personal: String = "", other: String = "", sections: [ExportSection] = [],
        notExported: String? = nil
    ) {
        let personal = table.personal.map(\.name) + [personal]
        let other = table.other.map(\.name) + table.computed.map(\.name) + [other]
        self.init(
            table.plainName, erasure, personal: personal.joined(separator: " "), other: other.joined(separator: " "), sections: sections,
            notExported: notExported)
    }
}

/// An array of an export, filled from one table.
public struct ExportSection: Sendable {
    /// A column by which rows are read page by page, with its type in PostgreSQL.
    public struct Key: Sendable, Hashable {
        public let column: String
        public let type: String
    }

    /// The rows of a person in the table.
    public enum Rows: Sendable, Hashable {
        /// The rows with the person in a column. The keys tell any two rows of a person apart.
        case ofPerson(column: String, keys: [Key])
        /// The rows of the person's notifications, which this column names. A notification has few of them.
        case ofNotification(column: String)
        /// The refused events that list the person.
        case refused
    }

    public let name: String
    public let rows: [Rows]
    /// The view of schema `tidings` that shows the rows of one person. Nil: the table itself, because it has row-level security and no column
    /// that a person may not read.
    public let view: String?
    /// The columns of an element: a list of expressions in SQL over the alias `r`.
    public let columns: String

    /// - Parameter keys: such as `device_id text, notification_id uuid`. Empty if a person has at most one row.
    public static func person(
        _ name: String, in column: String, keys: String = "", of view: String? = nil, columns: String
    ) -> ExportSection {
        ExportSection(name, rows: [.ofPerson(column: column, keys: Self.keys(keys))], of: view, columns: columns)
    }

    /// The rows of a pair of people, of whom the person is one.
    public static func pair(_ name: String, _ one: String, _ other: String, columns: String) -> ExportSection {
        ExportSection(
            name,
            rows: [
                .ofPerson(column: one, keys: Self.keys("\(other) text")), .ofPerson(column: other, keys: Self.keys("\(one) text")),
            ], columns: columns)
    }

    public static func notification(
        _ name: String, in column: String = "notification_id", of view: String, columns: String
    ) -> ExportSection {
        ExportSection(name, rows: [.ofNotification(column: column)], of: view, columns: columns)
    }

    static func refused(_ name: String, of view: String, columns: String) -> ExportSection {
        ExportSection(name, rows: [.refused], of: view, columns: columns)
    }

    private init(_ name: String, rows: [Rows], of view: String? = nil, columns: String) {
        self.name = name
        self.rows = rows
        self.view = view
        self.columns = columns
    }

    private static func keys(_ text: String) -> [Key] {
        text.split(separator: ",").compactMap { part in
            let words = part.split(separator: " ").map(String.init)
            return words.count == 2 ? Key(column: words[0], type: words[1]) : nil
        }
    }
}

/// A place outside of the tables where a person can stand.
public struct PersonalPlace: Sendable {
    /// The name of a queue, with `*` for the rest of a name; or a kind of place.
    public let name: String
    /// The part of a person that stands there.
    public let holds: String
    /// The effect of an erasure, and the time after which nothing is left.
    public let erasure: String
}
