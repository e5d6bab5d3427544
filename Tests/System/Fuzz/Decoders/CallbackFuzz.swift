import ProviderJSONOverHTTP
import TidingsCore
import TidingsProvider

/// The callbacks of a service that the catalogue describes. Every report has parts that can be stored.
struct CallbackFuzz: FuzzTarget {
    static let name = "callbacks"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator
    /// One reader of bodies that are events, and one of events at a path.
    private let readers: [any CallbackReader]
    private static let secret = "a secret that the fuzzer knows"

    init() throws {
        corpus = Self.bodies.map { Array($0.utf8) }
        mutator = ByteMutator(corpus: corpus, words: Self.words + Extremes.numbers)
        let settings = [
            "url": "https://gateway.example/messages", "messageIdPath": "/id", "callbackAuthentication": "secret",
            "callbackSecret": "env:SECRET", "callbackHeader": "X-Secret", "callbackReference": "message", "callbackReferencePath": "/ref",
            "callbackStatePath": "/event/state", "callbackStates": "read = engaged, dead = gone, late = failed timeout",
            "callbackTimePath": "/at", "callbackEventIdPath": "/id",
        ]
        let binding = ProviderBinding(name: "gateway", channel: .sms, kind: "http", settings: settings, addressing: .address)
        readers = try [[:], ["callbackEventsPath": "/event/0"]].map { path in
            var binding = binding
            binding.settings = settings.merging(path) { $1 }
            guard let reader = try HTTPProviderFactory.callbackReader(binding: binding, environment: ["SECRET": Self.secret]) else {
                throw BrokenProperty(description: "the settings describe no callbacks")
            }
            return reader
        }
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] { mutator.mutated(&random) }
    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        let request = CallbackRequest(
            method: "POST", target: "/v1/callbacks/gateway", headers: [("X-Secret", Self.secret)], body: input,
            receivedAt: Timestamp(seconds: 1_780_315_200))
        let verdicts = try readers.map { try check($0.read(request)) }
        return verdicts.contains(.accepted) ? .accepted : .refused
    }

    private func check(_ reading: CallbackReading) throws -> FuzzVerdict {
        switch reading {
        case .unauthenticated(let reason): throw BrokenProperty(description: "a good secret is refused: \(reason)")
        case .malformed: return .refused
        case .reports(let reports, let unreadable):
            try require(reports.count + unreadable.count <= CallbackRequest.maximumReports, "\(reports.count) reports")
            for reason in unreadable { try Properties.requireSentence(reason, atMost: 200) }
            for report in reports {
                try require(isStorable(report.key), "a key that cannot be stored")
                if case .message(let id)? = report.reference { try require(isStorable(id) && !id.isEmpty, "an id that cannot be stored") }
                if let time = report.at { try require(time >= .distantPast && time <= .distantFuture, "the time \(time.microseconds)") }
            }
            return .accepted
        }
    }

    private func isStorable(_ text: String) -> Bool { text.utf8.count <= DeliveryReport.longestText && !text.utf8.contains(0) }

    private static let bodies: [String] = [
        #"{"ref":"m-17","event":{"state":"read"},"at":"2026-06-01T12:00:00Z","id":"e-1"}"#,
        #"[{"ref":17,"event":{"state":"dead"},"at":1780315200},{"ref":null,"event":{"state":"late"},"at":1780315200000.5}]"#,
        #"[{"ref":"\u0000","event":[],"at":"1e300","id":"\u0000"},{"event":{"state":true}}]"#, "[]", "{}", "[1]",
        #"{"id":"\#(String(repeating: "é", count: 200))","ref":"\#(String(repeating: "r", count: 300))"}"#,
        #"{"event":[[{"ref":"m-17","event":{"state":"read"}},{"ref":}],9],"ref":NaN}"#, #"{"at":-0.0,"ref":"m"}"#, #"{"at":"nan"}"#,
        #"{"at":"0x1p1023"}"#,
    ]

    private static let words = ["ref", "event", "state", "at", "id", "read", "{", "}", "[", "]", ",", ":", "\"", "\\u0000", "1780315200"]
}
