import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Addresses of people by the command line, and the deliveries that go to them.
@Suite struct AddressCommandTests {
    /// An address counts from the moment of each change.
    @Test func aDeliveryFollowsTheAddress() async throws {
        try await withPipeline(catalogue: TestCatalogue.withEmail) { pipeline in
            func ended(_ id: String) async throws -> [Ended] {
                await pipeline.publish(event(id: id, to: "ann", data: #""channels":["email"]"#))
                return try await pipeline.outcome(of: id)
            }
            let (sent, gone) = ([Ended("email", "sent", "accepted")], [Ended("email", "suppressed", "endpointGone")])
            #expect(try await ended("without") == [Ended("email", "suppressed", "noAddress")])

            let set = try await pipeline.json(
                "address", "set", "ann", "email", "Ann@Example.com", "--consent", "granted", "--source", "sign-up", "--verified")
            #expect(set["kind"] == "email" && set["value_masked"] == "A…@Example.com" && set["source"] == "sign-up", "\(set)")
            #expect(set["state"] == "active" && set["consent"] == "granted" && set["verified_at"]?.isNull == false, "\(set)")
            let id = try #require(set["address_id"]?.stringValue)
            #expect(try await ended("set") == sent)
            let endpoints = try await pipeline.system.query("select distinct endpoint from tidings_ops.deliveries where state = 'sent'")
                .rows
            #expect(try endpoints.map { try $0.decode(String.self) } == [id])

            let suppressed = try await pipeline.json("address", "suppress", "ann", id, "--reason", "mailbox full", "--for", "2h")
            #expect(suppressed["state"] == "suppressed" && suppressed["suppressed_because"] == "mailbox full", "\(suppressed)")
            #expect(suppressed["suppressed_until"]?.isNull == false)
            #expect(try await ended("suppressed") == gone)
            let lifted = try await pipeline.json("address", "suppress", "ann", id, "--lift")
            #expect(lifted["state"] == "active" && lifted["suppressed_at"]?.isNull == true, "\(lifted)")
            #expect(try await ended("lifted") == sent)

            _ = try await pipeline.json("address", "set", "ann", "email", "ann@example.com", "--consent", "denied")
            #expect(try await ended("denied") == gone)
            let removed = try await pipeline.system.tidings("address", "remove", "ann", id)
            #expect(removed.exitCode == 0 && removed.output.isEmpty, "\(removed.errors)")
            #expect(try await ended("removed") == [Ended("email", "suppressed", "noAddress")])
            try await pipeline.expectSound()
        }
    }

    @Test func addressesAreListedVerifiedAndMissed() async throws {
        try await withOwnSystem { system in
            func run(_ arguments: String...) async throws -> TestProcess.Result {
                try await CommandLineTests.run(["address"] + arguments, system.environment)
            }
            let empty = try await run("list", "ann")
            #expect(empty.exitCode == 0 && empty.output.isEmpty && empty.errors.contains("no address beside devices"), "\(empty)")
            #expect(try await run("set", "ann", "sms", "+1 (415) 555-0123").exitCode == 0)
            try await withFile("whsec_" + Data(repeating: 7, count: 32).base64EncodedString()) { path in
                let signed = try await run("set", "ann", "webhook", "https://example.com/a", "--secret", "file:\(path)")
                #expect(signed.exitCode == 0 && signed.errors.isEmpty && !signed.output.contains("/a"), "\(signed)")
            }
            let verified = try await run("verify", "ann", "webhook", "-o", "json")
            #expect(try JSON.parse(verified.output)["verified_at"]?.isNull == false)
            let listed = try await run("list", "ann", "-o", "json")
            let rows = try JSON.parse(listed.output).arrayValue ?? []
            #expect(rows.map { $0["value_masked"] } == ["…0123", "https://example.com/…"], "\(listed.output)")
            #expect(rows.map { $0["source"]?.stringValue } == ["operator", "operator"])
            #expect(rows.map { $0["secrets"]?.intValue } == [0, 1])
            let shown = try await CommandLineTests.run(["recipient", "show", "ann", "-o", "json"], system.environment)
            #expect(shown.output.contains("…0123") && !shown.output.contains("(415)"), "\(shown.output)")
            let table = try await run("list", "ann")
            #expect(table.output.contains("…0123") && !table.output.contains("(415)"), "\(table.output)")

            // The older command and the newer one change the same webhook.
            let older = try await CommandLineTests.run(["recipient", "set", "ann", "--webhook", "none"], system.environment)
            #expect(older.exitCode == 0, "\(older.errors)")
            for command in [["verify", "ann", "webhook"], ["remove", "ann", "webhook"], ["suppress", "bob", "webhook", "--lift"]] {
                let missed = try await CommandLineTests.run(["address"] + command, system.environment)
                #expect(missed.exitCode == 1 && missed.errors.contains("no address webhook"), "\(command): \(missed.errors)")
            }
            let unsigned = try await run("set", "ann", "webhook", "https://example.com/b")
            #expect(unsigned.exitCode == 0 && unsigned.errors.contains("note: no --secret"), "\(unsigned)")
            #expect(try await run("set", "ann", "email", "a@b.co", "--secret", "env:X").exitCode == 64)
        }
    }
}
