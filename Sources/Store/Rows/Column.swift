package import TidingsContracts
package import TidingsCore
package import TidingsPostgres

/// A column of a table or of a relation, and the member of a row from which it comes.
package struct Column<Row: Sendable>: Sendable {
    package let name: String
    /// The words that the column may hold. Nil if it holds no word of a closed list.
    package let words: [String]?
    /// The value in an INSERT from other rows that says nothing else. By default the column of the same name.
    package let standard: SQL
    /// The value in an INSERT of rows, over their columns.
    let received: SQL
    /// The values of many rows, as one bound array.
    let array: @Sendable ([Row]) -> SQL

    fileprivate init(
        _ name: String, words: [String]? = nil, standard: SQL?, received: SQL? = nil, array: @escaping @Sendable ([Row]) -> SQL
    ) {
        self.name = name
        self.words = words
        self.standard = standard ?? SQL(unsafeSQL: name)
        self.received = received ?? SQL(unsafeSQL: name)
        self.array = array
    }
}

extension Column: Hashable {
    package static func == (left: Column, right: Column) -> Bool { left.name.utf8.elementsEqual(right.name.utf8) }
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// One initialiser for each type of a column. With types of its own, each closure becomes fast code.
extension Column {
    package init(_ name: String, _ value: @escaping @Sendable (Row) -> String, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map(value))" }
    }

    package init(_ name: String, _ value: @escaping @Sendable (Row) -> String?, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map(value))" }
    }

    package init(_ name: String, _ value: @escaping @Sendable (Row) -> NotificationID?, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map { value($0)?.uuid })" }
    }

    package init(_ name: String, _ value: @escaping @Sendable (Row) -> NotificationID, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map { value($0).uuid })" }
    }

    package init(_ name: String, _ value: @escaping @Sendable (Row) -> Digest128, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map { value($0).uuid })" }
    }

    package init(_ name: String, _ value: @escaping @Sendable (Row) -> Timestamp, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map { value($0).timestamptz })" }
    }

    package init(_ name: String, _ value: @escaping @Sendable (Row) -> Timestamp?, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map { value($0)?.timestamptz })" }
    }

    package init(_ name: String, _ value: @escaping @Sendable (Row) -> Bool, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map(value))" }
    }

    /// A column of the type `smallint`.
    package init(smallint name: String, _ value: @escaping @Sendable (Row) -> Int, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map { Int16(value($0)) })" }
    }

    /// A column of the type `integer`.
    package init(integer name: String, _ value: @escaping @Sendable (Row) -> Int?, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map { value($0).map { Int32(clamping: $0) } })" }
    }

    package init(_ name: String, _ value: @escaping @Sendable (Row) -> [UInt8], otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map(value))" }
    }

    /// A column of the type `bigint`.
    package init(bigint name: String, _ value: @escaping @Sendable (Row) -> Int?, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map { value($0).map(Int64.init) })" }
    }

    package init(_ name: String, _ value: @escaping @Sendable (Row) -> Int64?, otherwise standard: SQL? = nil) {
        self.init(name, standard: standard) { rows in "\(rows.map(value))" }
    }

    /// A column of words of a closed list.
    package init<Word>(
        _ name: String, _ value: @escaping @Sendable (Row) -> Word, otherwise standard: SQL? = nil
    ) where Word: RawRepresentable<String> & CaseIterable & Sendable {
        self.init(name, words: Word.allCases.map(\.rawValue), standard: standard) { rows in "\(rows.map { value($0).rawValue })" }
    }

    /// A column of arrays of one type. Each array travels as its literal, because `unnest` makes arrays of arrays flat.
    package init(
        arrayOf type: String, _ name: String, _ elements: @escaping @Sendable (Row) -> [String], otherwise standard: SQL? = nil
    ) {
        self.init(name, standard: standard, received: "\(unsafe: name)::\(unsafe: type)[]") { rows in
            "\(rows.map { "{" + elements($0).joined(separator: ",") + "}" })"
        }
    }
}

extension Array where Element: Sendable {
    /// These rows as a relation with columns by name: `unnest(…) as told(id, lane)`.
    ///
    /// - Parameter place: the name of a further column, which numbers the rows from 1.
    package func relation(_ name: String, _ columns: [Column<Element>], numbered place: String? = nil) -> SQL {
        let names = (columns.map(\.name) + [place].compactMap(\.self)).joined(separator: ", ")
        let alias = (place == nil ? "as " : "with ordinality as ") + name
        return "unnest(\(columns.map { $0.array(self) }.joined(separator: ", "))) \(unsafe: alias)(\(unsafe: names))"
    }
}

extension [DeliveryKey] {
    /// These keys as a relation with the columns `notification_id` and `ordinal`.
    package func relation(_ name: String, numbered place: String? = nil) -> SQL {
        relation(name, [Column("notification_id", \.notificationID), Column(smallint: "ordinal", \.ordinal)], numbered: place)
    }
}

extension [RecipientKey] {
    /// These people as a relation with the columns `tenant` and `recipient_id`.
    package func relation(_ name: String) -> SQL {
        relation(name, [Column("tenant", \.tenant), Column("recipient_id", \.id)])
    }
}
