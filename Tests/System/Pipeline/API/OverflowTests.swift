import Foundation
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

/// The intents of a tenant do not wait behind the backlog of another one.
@Suite struct OverflowTests {
    /// Each has a thousand people. A router takes some seconds for all of them, and commits them in several portions.
    private static let largeEvents = 10
    private static let people = 1_000

    /// The small event comes last, while no router runs, and is decided before the last of the large ones.
    @Test func aSmallEventOvertakesTheBacklogOfAnotherTenant() async throws {
        try await withAPI { api in
            let (flood, other) = (try await api.key("intents:write", tenant: "acme"), try await api.key("intents:write", tenant: "globex"))
            let door = try await api.withAPIAlone()
            api.pipeline.roles.signal(SIGTERM)
            #expect(await api.pipeline.roles.finish().exitCode == 0)

            let large = (0..<Self.largeEvents).map { Self.event(id: "large-\($0)", to: Self.people, of: "acme") }
            for (key, event) in large.map({ (flood, $0) }) + [(other, Self.event(id: "small", to: 1, of: "globex"))] {
                let sent = try await door.ask("POST", "/v1/intents", authorization: key, body: event, type: Pipeline.structured)
                #expect(sent.status == 202, "\(sent.text)")
            }
            let control = try AMQPControl.make(
                configuration: try AMQPConfiguration(url: api.pipeline.system.amqpURL), connectionName: "tidings overflow test")
            let areApart = try await eventually {
                let (intake, overflow) = (QueueNames.intents(.urgent), QueueNames.overflow(.urgent))
                let beside = try await control.queueStatus(overflow)?.messages
                return try await control.queueStatus(intake)?.messages == 1 && beside == Self.largeEvents
            }
            #expect(areApart)
            await control.close()

            try api.pipeline.system.start("run", "all")
            let all = Self.largeEvents * Self.people + 1
            #expect(try await api.pipeline.system.eventually(within: .seconds(120), Pipeline.takenQuery) { $0 == all })
            #expect(
                try await api.pipeline.system.count(
                    """
                    select count(*) from tidings_ops.notifications where tenant = 'globex'
                        and accepted_at < (select max(accepted_at) from tidings_ops.notifications where tenant = 'acme')
                    """) == 1)
            #expect(try await api.pipeline.system.count("select count(*) from tidings_ops.rejected") == 0)
            #expect(try await api.pipeline.system.count("select count(*) from tidings_ops.unaccounted") == 0)
        }
    }

    private static func event(id: String, to people: Int, of tenant: String) -> String {
        let recipients = (0..<people).map { "\"person-\($0)\"" }.joined(separator: ",")
        let data = #""recipients":[\#(recipients)],"tenant":"\#(tenant)","title":"T","channels":["inApp"]"#
        return #"{"specversion":"1.0","id":"\#(id)","source":"/tests","type":"orderUpdate","data":{\#(data)}}"#
    }
}
