import Foundation
import Testing
import TidingsJSON
import TidingsTestSupport

extension DoorCase {
    /// The value as arguments of `tidings send`. Nil if arguments cannot say it, such as an empty list of channels.
    fileprivate func arguments(folder: URL) throws -> [String]? {
        switch form {
        case .recipient: return json.stringValue.map { Self.option("to", $0) }
        case .tenant: return json.stringValue.map { ["--to=r"] + Self.option("tenant", $0) }
        case .source: return json.stringValue.map { ["--to=r"] + Self.option("source", $0) }
        case .key: return json.stringValue.map { ["--to=r"] + Self.option("id", $0) }
        case .time: return json.stringValue.map { ["--to=r"] + Self.option("at", $0) }
        case .channels:
            let names = json.arrayValue?.compactMap(\.stringValue) ?? []
            return names.isEmpty || names.count != json.arrayValue?.count ? nil : ["--to=r"] + names.map { "--channel=\($0)" }
        case .data:
            // The file has the whole data, so any other value than an object is refused by its own words.
            guard json.objectValue != nil else { return nil }
            let file = folder.appending(path: "\(UInt64.random(in: 0 ... .max)).json")
            try Data(json.serialized.utf8).write(to: file)
            return ["--to=r", "--data=@\(file.path)"]
        }
    }

    /// A value beside its option, since a combining mark after `--to=` would belong to the equals sign. Only a value that looks like an option
    /// stands in one argument with its name.
    private static func option(_ name: String, _ value: String) -> [String] {
        value.hasPrefix("-") ? ["--\(name)=\(value)"] : ["--\(name)", value]
    }
}

extension DoorTests {
    struct SentAnswer: Sendable {
        var isTaken: Bool
        var words: String
    }

    /// Sends each case by the command, four at a time.
    static func send(_ cases: [DoorCase], _ system: TestSystem) async throws -> [Int: SentAnswer] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tidings-doors-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var waiting = try cases.enumerated().compactMap { number, input in try input.arguments(folder: folder).map { (number, $0) } }[...]
        return try await withThrowingTaskGroup(of: (Int, SentAnswer).self) { group in
            func next() {
                guard let (number, arguments) = waiting.popFirst() else { return }
                group.addTask {
                    let command = ["send", "orderUpdate", "--title", "T", "--dry-run"] + arguments
                    let result = try await CommandLineTests.run(command, system.environment)
                    return (number, SentAnswer(isTaken: result.exitCode == 0, words: result.errors))
                }
            }
            for _ in 0..<4 { next() }
            var answers: [Int: SentAnswer] = [:]
            for try await (number, answer) in group {
                answers[number] = answer
                next()
            }
            return answers
        }
    }

    /// Shows a token of each person and each tenant, and returns whether the API believes it.
    static func show(_ cases: [DoorCase], _ api: APIScene) async throws -> [Int: Bool] {
        var verdicts: [Int: Bool] = [:]
        for (number, input) in cases.enumerated() where [.recipient, .tenant].contains(input.form) {
            let token =
                input.form == .recipient ? api.token(for: input.json.stringValue ?? "") : api.token(for: "r") { $0["tenant"] = input.json }
            verdicts[number] = try await api.ask("GET", "/api/notifications", authorization: "Bearer \(token)").status == 200
        }
        return verdicts
    }
}
