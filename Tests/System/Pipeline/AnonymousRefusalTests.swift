import Testing
import TidingsAMQP
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A refused event is found by the names that stand in it, also if it is broken.
@Suite struct AnonymousRefusalTests {
    private static let attributes = #""specversion":"1.0","id":"broken","source":"/tests","type":"orderUpdate""#

    @Test func aBrokenEventIsFoundByItsIDAndItsSource() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(#"{\#(Self.attributes),"data":{"recipient":"reader""#)
            await pipeline.publish(event(id: "whole", type: "noSuchType", to: "reader"))
            let both: SQL = "select count(*) from tidings_ops.rejected where source = '/tests'"
            #expect(try await pipeline.system.eventually(both) { $0 == 2 }, "\(pipeline.roles.errorsSoFar)")

            for (id, isVerified) in [("broken", false), ("whole", true)] {
                let found = try await pipeline.json("find", id).arrayValue ?? []
                #expect(found.map { $0["kind"] } == ["rejected"], "\(found)")
                let number = try #require(found.first?["id"]?.stringValue)
                let shown = try await pipeline.json("rejected", "show", number)
                #expect(shown["verified"]?.boolValue == isVerified && shown["event_id"]?.stringValue == id, "\(shown)")
                let listed = try await pipeline.json("rejected", "list").arrayValue?.first { $0["event_id"]?.stringValue == id }
                #expect(listed?["verified"]?.boolValue == isVerified)
            }
            let text = try await pipeline.system.tidings("rejected", "list").output
            #expect(text.contains("VERIFIED") && text.contains("false"), "\(text)")

            let told = try await pipeline.system.query(
                "select event_id || ' ' || reason_code || ' ' || verified from tidings_api.rejected('/tests') order by event_id"
            ).rows.map { try $0.decode(String.self) }
            #expect(told == ["broken notJSON false", "whole unknownType true"])
            try await pipeline.expectSound()
        }
    }

    /// An event of binary mode has its names in headers, whatever its body is.
    @Test func aBrokenEventOfBinaryModeIsFound() async throws {
        try await withPipeline { pipeline in
            await pipeline.publish(
                Array("no JSON".utf8), contentType: "application/json",
                headers: [
                    "cloudEvents_specversion": "1.0", "cloudEvents_id": "broken", "cloudEvents_source": "/tests",
                    "cloudEvents_type": "orderUpdate",
                ])
            let found: SQL = "select count(*) from tidings_ops.find('broken') where kind = 'rejected'"
            #expect(try await pipeline.system.eventually(found) { $0 == 1 }, "\(pipeline.roles.errorsSoFar)")
            #expect(try await pipeline.system.count("select count(*) from tidings_api.rejected('/tests') where not verified") == 1)
            try await pipeline.expectSound()
        }
    }
}
