@testable import TidingsJSON

/// The JSON reader, the splitting of arrays, the writer and the canonical form.
struct JSONFuzz: FuzzTarget {
    static let name = "json"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator

    init() {
        corpus = RepositorySchemas.files(below: "") + Self.texts.map { Array($0.utf8) } + Self.hostile
        mutator = ByteMutator(
            corpus: corpus.filter { $0.count < 8_000 }, words: Extremes.numbers + Extremes.escapes + ["\":", "\",\"", "[]", "{}", "\\u"])
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] { mutator.mutated(&random) }
    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        let parsed = Result { () throws(JSONParseError) in try JSON.parse(input) }
        let again = Result { () throws(JSONParseError) in try JSON.parse(input) }
        try require(parsed == again, "read twice, two results")
        let elements = try? JSON.splitArray(input, maximumElements: Self.mostElements)
        let leniently = try? JSON.parse(leniently: input)
        if let leniently { try checkLenient(leniently) }
        switch parsed {
        case .success(let document):
            try checkAccepted(document)
            try require(leniently == document, "the lenient reading is another document")
            try checkSplit(document, input, elements)
            return .accepted
        case .failure(let error):
            try require(0...input.count ~= error.offset, "the error is at byte \(error.offset) of \(input.count)")
            try Properties.requirePointer(error.pointer)
            try Properties.requireSentence(error.message, atMost: 200)
            try checkSplit(error, input, elements)
            return .refused
        }
    }

    /// The number of elements of the largest document in the corpus.
    private static let mostElements = 10_000

    private func checkAccepted(_ document: JSON) throws {
        let written = document.serializedBytes
        let read = try JSON.parse(written)
        try require(read == document, "written and read again it is another document")
        try require(read.hashValue == document.hashValue, "equal documents have two hashes")
        try require(read.serializedBytes == written, "written twice, two texts")
        try require(Self.depth(of: document) <= JSONLimits.standard.maximumDepth, "nested deeper than is allowed")
        try require(!Self.hasNUL(document), "a NUL was let through")
        let canonical = document.canonical()
        try require(canonical == document, "its canonical form is another document")
        try require(canonical.canonical().serializedBytes == canonical.serializedBytes, "the canonical form of the canonical form differs")
    }

    /// A document that is read leniently can be written and stored as any other.
    private func checkLenient(_ document: JSON) throws {
        try require(Self.depth(of: document) <= JSONLimits.standard.maximumDepth, "nested deeper than is allowed")
        try require(!Self.hasNUL(document), "a NUL was let through")
        try require(try JSON.parse(document.serializedBytes) == document, "a lenient document is written as another one")
    }

    /// Splitting an array and reading its elements must agree with reading the array.
    private func checkSplit(_ document: JSON, _ input: [UInt8], _ ranges: [Range<Int>]?) throws {
        guard let elements = document.arrayValue, elements.count <= Self.mostElements else { return }
        guard let ranges else { throw BrokenProperty(description: "an array that is read cannot be split") }
        try require(ranges.count == elements.count, "split into \(ranges.count), read as \(elements.count)")
        for (range, element) in zip(ranges, elements) {
            try require(try JSON.parse(input[range]) == element, "the element at \(range) is another one when read alone")
        }
    }

    private func checkSplit(_ error: JSONParseError, _ input: [UInt8], _ ranges: [Range<Int>]?) throws {
        guard let ranges, error.code != .tooDeep, error.code != .tooManyNodes else { return }
        for range in ranges {
            if (try? JSON.parse(input[range])) == nil { return }
        }
        throw BrokenProperty(description: "refused (\(error)), although every element of it is accepted alone")
    }

    static func depth(of value: JSON) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth(of:)).max() ?? 0)
        case .object(let object): 1 + (object.entries.map { depth(of: $0.value) }.max() ?? 0)
        default: 0
        }
    }

    private static func hasNUL(_ value: JSON) -> Bool {
        switch value {
        case .string(let text): text.utf8.contains(0)
        case .array(let elements): elements.contains(where: hasNUL)
        case .object(let object): object.entries.contains { $0.key.utf8.contains(0) || hasNUL($0.value) }
        default: false
        }
    }

    private static let texts: [String] = [
        #"{"a":[1,2.5,-3e4,true,false,null,"x\u00e9\ud83d\ude00\n"],"b":{"c":{"d":[]}},"é":"e\u0301"}"#,
        #"[{"id":1},{"id":2},"three",[4,[5,[6]]],{}]"#, #" [ 1 , 2 ] "#, #""text""#, "0", "-0.0e-0", "[]", "", #"{"a":1,"a":2}"#,
        #"["\ud83d"]"#, #"["\u0000"]"#, "[1,]", "[,1]", "{]", "[}", "[\"a\\", "\u{FEFF}[]", #"{"K":1,"\u212A":2}"#, "[01]", "[1]x",
        #"{"e\u0301":1,"\u00e9":2}"#, "[1e400,1e-400,100000000000000000000,1e999999999999]",
    ]

    /// Inputs that would cost quadratic time or the stack in a careless reader.
    private static let hostile: [[UInt8]] = [
        Array(repeating: UInt8(ascii: "["), count: 1_000_000),
        Array(repeatElement(Array("{\"a\":".utf8), count: 200_000).joined()),
        Array(("{" + Extremes.equivalentNames(3_000).map { "\"\($0)\":1" }.joined(separator: ",") + "}").utf8),
        Array(("[" + Extremes.equivalentNames(3_000).map { "\"\($0)\"" }.joined(separator: ",") + "]").utf8),
        Array(("{" + (0..<20_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}").utf8),
        Array(("[" + Array(repeating: "1", count: 9_000).joined(separator: ",") + "]").utf8),
        Array(("\"" + String(repeating: "\\u0041", count: 40_000) + "\"").utf8),
    ]
}
