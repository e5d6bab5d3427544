import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// An intent that one door takes, every door takes. Otherwise a producer would hear of its mistake too late: after its transaction, or at a
/// send.
@Suite struct DoorTests {
    /// Whether a door took an input, and where it saw the fault.
    private struct Verdict: Equatable, Sendable {
        var isTaken: Bool
        var pointer: String?
    }

    @Test func everyDoorHasTheSameVerdict() async throws {
        try await withAPI { api in
            let now = try await api.pipeline.system.count("select extract(epoch from tidings.clock())::bigint")
            let cases = DoorCase.all(now: Int64(now))
            #expect(cases.count >= 300)
            let published = try await Self.publish(cases, api.pipeline)
            let asked = try await Self.ask(cases, api)
            let called = try await Self.call(cases, api.pipeline.system)
            let sent = try await Self.send(cases, api.pipeline.system)
            let shown = try await Self.show(cases, api)
            for (number, input) in cases.enumerated() {
                if let answer = sent[number] {
                    #expect(answer.isTaken == published[number]?.isTaken, "by command, and over AMQP: \(input.name): \(answer.words)")
                    #expect(
                        !answer.words.contains(" at /") || answer.words.contains(" at \(input.pointer)"), "\(input.name): \(answer.words)")
                }
                if let isPerson = shown[number] {
                    #expect(isPerson == published[number]?.isTaken, "in a token, and over AMQP: \(input.name)")
                }
                #expect(asked[number] == published[number], "over HTTP, and over AMQP: \(input.name)")
                #expect(called[number] == published[number]?.isTaken, "in SQL, and over AMQP: \(input.name)")
                let pointer = published[number]?.pointer ?? ""
                #expect(pointer.isEmpty || pointer.hasPrefix(input.pointer), "\(pointer) of \(input.name)")
            }
        }
    }

    /// A person that no intent can name is no person of a path, of a token, or of a command.
    @Test func noPersonHasANameThatNoIntentCanHave() async throws {
        try await withAPI { api in
            let key = try await api.key("recipients:read")
            let (person, strangers) = ("a b/é", ["\u{1}", " ", "a\nb", String(repeating: "x", count: 257)])
            func status(ofPath id: String) async throws -> Int {
                let path = try #require(id.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
                return try await api.ask("GET", "/v1/recipients/\(path)/preferences", authorization: key).status
            }
            func status(ofToken id: String) async throws -> Int {
                try await api.ask("GET", "/api/notifications", authorization: "Bearer \(api.token(for: id))").status
            }
            #expect(try await status(ofPath: person) == 200)
            #expect(try await status(ofToken: person) == 200)
            for id in strangers {
                #expect(try await status(ofPath: id) == 422, "\(id.debugDescription)")
                #expect(try await status(ofToken: id) == 401, "\(id.debugDescription)")
                for command in [["recipient", "set", id, "--time-zone", "UTC"], ["simulate", "orderUpdate", "--to", id]] {
                    let result = try await CommandLineTests.run(command, api.pipeline.system.environment)
                    #expect(result.exitCode == 65, "\(command): \(result.errors)")
                }
            }
            for tenant in ["", "a b", "a\n"] {
                let result = try await CommandLineTests.run(
                    ["recipient", "set", "ada", "--tenant", tenant, "--time-zone", "UTC"], api.pipeline.system.environment)
                #expect(result.exitCode == 65, "\(tenant.debugDescription): \(result.errors)")
                let token = api.token(for: "ada") { $0["tenant"] = .string(tenant) }
                #expect(try await api.ask("GET", "/api/notifications", authorization: "Bearer \(token)").status == 401)
            }
        }
    }

    // MARK: The doors

    /// Publishes each event, and returns the router's verdicts by the number of the case. A title identifies a case, because the other names
    /// of an event may be the input.
    private static func publish(_ cases: [DoorCase], _ pipeline: Pipeline) async throws -> [Int: Verdict] {
        for (number, input) in cases.enumerated() {
            await pipeline.publish(input.event(id: "amqp-\(number)", recipient: "amqp", title: "amqp case \(number)."))
        }
        let refused: SQL = "select substring(convert_from(raw, 'UTF8') from '\"amqp case ([0-9]+)\\.\"'), pointer from tidings.rejected"
        let isDecided = try await pipeline.system.eventually(
            """
            select (select count(*) from tidings.notifications where title like 'amqp case %')
                + (select count(*) from (\(refused)) r(number) where number is not null)
            """
        ) { $0 == cases.count }
        try #require(isDecided, "\(pipeline.roles.errorsSoFar)")
        var verdicts: [Int: Verdict] = [:]
        for row in try await pipeline.system.query("select title from tidings.notifications where title like 'amqp case %'").rows {
            let title = try row.decode(String.self)
            if let number = Int(title.filter(\.isNumber)) { verdicts[number] = Verdict(isTaken: true) }
        }
        for row in try await pipeline.system.query(refused).rows {
            let (number, pointer) = try row.decode((String?, String).self)
            if let number = number.flatMap({ Int($0) }) { verdicts[number] = Verdict(isTaken: false, pointer: pointer) }
        }
        return verdicts
    }

    private static func ask(_ cases: [DoorCase], _ api: APIScene) async throws -> [Int: Verdict] {
        let key = try await api.key("intents:write", tenant: "*")
        var verdicts: [Int: Verdict] = [:]
        for (number, input) in cases.enumerated() {
            let event = input.event(id: "http-\(number)", recipient: "http", title: "http case \(number).")
            let answer = try await api.ask(
                "POST", "/v1/intents", authorization: key, body: event, type: "application/cloudevents+json")
            switch answer.status {
            case 202: verdicts[number] = Verdict(isTaken: true)
            case 400: verdicts[number] = Verdict(isTaken: false, pointer: "")
            case 422: verdicts[number] = Verdict(isTaken: false, pointer: answer.json["errors"]?.arrayValue?.first?["pointer"]?.stringValue)
            default: Issue.record("\(answer.status) for \(input.name): \(answer.text)")
            }
        }
        return verdicts
    }

    /// Calls `tidings_api.enqueue` for each case, and takes the call back.
    private static func call(_ cases: [DoorCase], _ system: TestSystem) async throws -> [Int: Bool] {
        let producer = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
        var verdicts: [Int: Bool] = [:]
        for (number, input) in cases.enumerated() {
            try await producer.execute(script: "begin")
            do throws(PostgresError) {
                _ = try await producer.query(input.call)
                verdicts[number] = true
            } catch {
                #expect(error.sqlState == "22023", "\(input.name): \(error.debugDescription)")
                verdicts[number] = false
            }
            try await producer.execute(script: "rollback")
        }
        await producer.close()
        return verdicts
    }
}
