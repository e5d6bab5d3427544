import TidingsCore

@testable import TidingsContracts
@testable import TidingsJSON

/// The packs that the router sends to the workers. Anybody with the rights may put other messages into the queue.
struct PackFuzz: FuzzTarget {
    static let name = "packs"
    let corpus: [[UInt8]]
    private let documents: [JSON]
    private let ofBytes: ByteMutator
    private let ofDocuments: JSONMutator

    init() {
        let example = RepositorySchemas.files(below: "examples").compactMap { try? JSON.parse($0) }.filter { $0["entries"] != nil }
        documents = example + Self.texts.compactMap { try? JSON.parse($0) }
        corpus = documents.map(\.serializedBytes) + Self.hostile(documents[0])
        ofBytes = ByteMutator(corpus: documents.map(\.serializedBytes), words: Self.names)
        ofDocuments = JSONMutator(
            names: Self.names,
            values: [
                "urgent", "transactional", "push", "webhook", "2026-06-01T12:00:00.1234567Z", "01900000-0000-7abc-8000-000000000001",
                "01900000-0000-7ABC-BFFF-FFFFFFFFFFFF", ["orderId": "17"], [:], 1, 0, -1, true,
            ])
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        random.oneIn(3) ? ofBytes.mutated(&random) : ofDocuments.mutated(random.pick(documents), &random).serializedBytes
    }

    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        let decoded = Result { () throws(PackDecodingError) in try Pack.decode(input) }
        let again = Result { () throws(PackDecodingError) in try Pack.decode(input) }
        try require(decoded == again, "decoded twice, two results")
        switch decoded {
        case .success(let pack):
            try check(pack)
            return .accepted
        case .failure(let error):
            try Properties.requirePointer(error.pointer)
            try Properties.requireSentence(error.message, atMost: 400)
            return .refused
        }
    }

    private func check(_ pack: Pack) throws {
        let encoded = pack.encode()
        let read = try Pack.decode(encoded)
        try require(read == pack, "encoded and decoded it is another pack")
        try require(read.encode() == encoded, "encoded twice, two texts")
        try require(1...Pack.maximumEntries ~= pack.entries.count, "\(pack.entries.count) entries")
        for entry in pack.entries {
            try require(entry.ordinal >= 0 && entry.attempt >= 1, "an ordinal or attempt below the first")
            guard case .object? = try? JSON.parse(entry.data, limits: .pack) else {
                throw BrokenProperty(description: "the data of an entry is no JSON object")
            }
        }
    }

    private static let names = [
        "id", "channel", "provider", "lane", "entries", "notificationID", "ordinal", "attempt", "tenant", "recipient", "type", "category",
        "title",
        "body", "data", "endpoint", "groupKey", "collapseKey", "traceparent", "createdAt", "decidedAt", "validUntil", "expiresAt",
        "escalates",
    ]

    private static let texts = [
        #"{"id":"01900000-0000-7abc-8000-000000000001","channel":"push","provider":"p","lane":"bulk","entries":[{"notificationID":"01900000-0000-7000-8000-000000000001","ordinal":0,"attempt":1,"tenant":"t","recipient":"r","type":"x","category":"system","data":{},"createdAt":"0001-01-01T00:00:00Z","decidedAt":"2026-06-01T12:00:00.004Z","validUntil":"2026-06-01T12:15:00.000001Z","expiresAt":"9999-12-31T23:59:59.999999Z","escalates":false}]}"#,
        #"{"lane":"urgent","entries":[],"future":[1,2],"id":"x"}"#,
    ]

    /// Packs of the allowed depth and number of entries, and beyond.
    private static func hostile(_ example: JSON) -> [[UInt8]] {
        guard var pack = example.objectValue, let entry = pack["entries"]?.arrayValue?.first, var deep = entry.objectValue else {
            return []
        }
        return [60, 63, 64, 72, 80].map { depth in
            var data: JSON = [:]
            for _ in 1..<depth { data = ["a": data] }
            deep["data"] = data
            pack["entries"] = .array([.object(deep)])
            return JSON.object(pack).serializedBytes
        }
            + [50, 51].map { count in
                pack["entries"] = .array(Array(repeating: entry, count: count))
                return JSON.object(pack).serializedBytes
            }
    }
}
