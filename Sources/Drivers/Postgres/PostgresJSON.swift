/// `jsonb`: the text of one JSON value. Decoding also accepts `json`. The server checks the text and refuses `\u0000` in strings (22P05).
public struct PostgresJSON: PostgresEncodable, PostgresDecodable, Hashable {
    public var text: String

    public init(_ text: String) { self.text = text }

    /// The only version of jsonb's binary format: a byte 1, then the text.
    private static let version: UInt8 = 1

    public static var postgresType: PostgresType { .jsonb }

    public func encode(into bytes: inout [UInt8]) {
        bytes.append(Self.version)
        bytes.append(contentsOf: text.utf8)
    }

    public init(postgres cell: PostgresCell) throws(PostgresError) {
        text = try unsafe cell.read(cell.type == PostgresType.json.oid ? .json : .jsonb) { bytes throws(PostgresError) in
            var start = 0
            if cell.type == PostgresType.jsonb.oid {
                guard unsafe bytes.bigEndian(UInt8.self) == Self.version else { throw .decoding("an unknown version of jsonb") }
                start = 1
            }
            guard let text = unsafe String(validating: bytes.dropFirst(start), as: UTF8.self) else {
                throw .decoding("the JSON is not valid UTF-8")
            }
            return text
        }
    }
}
