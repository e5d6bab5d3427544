import TidingsPostgres

extension TestSystem {
    /// The tables of schema `tidings` with a row that has the text anywhere, also in bytes.
    public func tables(with text: String) async throws -> [String] {
        let names = try await query(
            """
            select relname::text from pg_class
            where relnamespace = 'tidings'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1
            """
        ).rows.map { try $0.decode(String.self) }
        let hexadecimal = text.utf8.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
        var found: [String] = []
        for name in names {
            let rows = try await count(
                """
                select count(*) from tidings.\(unsafe: name) t where strpos(t::text, \(text)) > 0 or strpos(t::text, \(hexadecimal)) > 0
                """)
            if rows > 0 { found.append(name) }
        }
        return found
    }
}
