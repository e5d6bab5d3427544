import CLibpq

@testable import TidingsPostgres

/// The bytes of one value from a database server, read as every supported type.
struct CellFuzz: FuzzTarget {
    static let name = "cells"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator
    private let owner: ResultStorage

    init() {
        guard let result = PQmakeEmptyPGresult(nil, PGRES_TUPLES_OK) else { preconditionFailure("no memory for a result") }
        owner = ResultStorage(taking: result)
        corpus = Self.values
        mutator = ByteMutator(corpus: Self.values, words: ["\u{0}\u{0}\u{0}\u{1}", "\u{0}\u{0}\u{0}\u{19}", "\u{1}", "text"])
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] { mutator.mutated(&random) }
    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        var accepted = 0
        try read(input, Bool.self, &accepted)
        try read(input, Int16.self, &accepted)
        try read(input, Int32.self, &accepted)
        try read(input, Int64.self, &accepted)
        try read(input, UInt8.self, &accepted)
        try read(input, Double.self, &accepted)
        try read(input, String.self, &accepted)
        try read(input, PostgresTimestamp.self, &accepted)
        try read(input, PostgresUUID.self, &accepted)
        try read(input, [UInt8].self, &accepted)
        try read(input, [String?].self, &accepted)
        try read(input, [Int64?].self, &accepted)
        try read(input, [PostgresTimestamp].self, &accepted)
        try read(input, [[UInt8]].self, &accepted)
        return accepted > 0 ? .accepted : .refused
    }

    /// Reads the bytes as a value of the type. An accepted value is written and read once more.
    private func read<Value: PostgresDecodable & PostgresEncodable>(_ bytes: [UInt8], _: Value.Type, _ accepted: inout Int) throws {
        guard let value: Value = try decode(bytes) else { return }
        accepted += 1
        var written: [UInt8] = []
        value.encode(into: &written)
        guard let again: Value = try decode(written) else { throw BrokenProperty(description: "\(Value.self): written, it is refused") }
        var rewritten: [UInt8] = []
        again.encode(into: &rewritten)
        try require(rewritten == written, "\(Value.self): written and read again it is another value")
    }

    private func decode<Value: PostgresDecodable & PostgresEncodable>(_ bytes: [UInt8]) throws -> Value? {
        try bytes.withUnsafeBytes { buffer in
            // An empty buffer has no address, and a missing address would mean null.
            let start = buffer.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
            let cell = PostgresCell(owner: owner, type: Value.postgresType.oid, start: start, count: buffer.count)
            do throws(PostgresError) {
                return try Value(postgres: cell)
            } catch {
                guard error.kind == .decoding else { throw BrokenProperty(description: "an error that a value cannot mean: \(error)") }
                return nil
            }
        }
    }

    private static let values: [[UInt8]] = {
        var values: [[UInt8]] = [
            [], [0], [1], [0, 1], [0xFF, 0xFF, 0xFF, 0xFF], Array(repeating: 0xFF, count: 8), [0x7F] + Array(repeating: 0xFF, count: 7),
        ]
        values += [[0x80] + Array(repeating: 0, count: 7), Array(0..<16), Array("text".utf8), [0xC0, 0x80], [1] + Array("{\"a\":1}".utf8)]
        func add(_ value: some PostgresEncodable) {
            var bytes: [UInt8] = []
            value.encode(into: &bytes)
            values.append(bytes)
        }
        add(["a", nil, "", "ü"] as [String?])
        add([1, nil, .max] as [Int64?])
        add([PostgresTimestamp.infinity, PostgresTimestamp(microseconds: 0)])
        add([[0, 1], []] as [[UInt8]])
        add([String]())
        return values
    }()
}
