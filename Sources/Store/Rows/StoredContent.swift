import TidingsCore
import TidingsJSON
import TidingsPostgres

/// The content of a notification in its row. Fields that statements search or show have a column each. The further fields share the column
/// `content_fields`.
extension Content {
    private static let fieldsWithColumn: Set<Field> = [.title, .body, .groupKey, .collapseKey]
    private static let furtherFields = Field.allCases.filter { !fieldsWithColumn.contains($0) }

    /// The value of `content_fields`: a JSON object with the further fields by name. Nil if the content has none of them.
    var furtherFields: String? {
        let present = Content.furtherFields.compactMap { field in self[field].map { (field, $0) } }
        guard !present.isEmpty else { return nil }
        var json = JSONWriter()
        json.beginObject()
        for (field, text) in present { json.member(field.rawValue, text) }
        json.endObject()
        return json.text
    }

    /// The columns that ``init(row:)`` reads, of the table alias `n`.
    static let columns: SQL = "n.title, n.body, n.data, n.group_key, n.collapse_key, n.content_fields"

    /// The bytes of the columns without a small limit, as the database counts them. The database reads none of the values.
    static let bytesColumn: SQL = """
        octet_length(n.data) + coalesce(octet_length(n.title), 0) + coalesce(octet_length(n.body), 0)
            + coalesce(octet_length(n.content_fields), 0)
        """

    /// The bytes of the same columns, as ``bytesColumn`` counts them: nearly all that the content takes in memory.
    var largeBytes: Int {
        data.utf8.count + (title?.utf8.count ?? 0) + (body?.utf8.count ?? 0) + (furtherFields?.utf8.count ?? 0)
    }

    /// Reads ``columns`` by name. A further field that a newer version wrote is left out.
    init(row: PostgresRow) throws {
        self.init(
            title: try row.decode("title"), body: try row.decode("body"), data: try row.decode("data"),
            groupKey: try row.decode("group_key"), collapseKey: try row.decode("collapse_key"))
        guard let text = try row.decode("content_fields", as: String?.self) else { return }
        guard case .object(let object)? = try? JSON.parse(Array(text.utf8)) else {
            throw PostgresError.decoding("content_fields is not a JSON object")
        }
        for entry in object.entries {
            guard let field = Field(rawValue: entry.key) else { continue }
            guard let text = entry.value.stringValue else { throw PostgresError.decoding("content_fields.\(entry.key) is not a text") }
            self[field] = text
        }
    }
}
