import Testing
import TidingsPostgres
import TidingsTestSupport

/// A channel or type that a person has switched off is not sent, and the reason names the switch.
@Suite struct PreferencesTests {
    @Test func eachSwitchHasItsReason() async throws {
        try await withPipeline(catalogue: TestCatalogue.standard) { pipeline in
            for (person, choice) in [
                ("a", "inApp=off"), ("b", "transactional=off"), ("c", "orderUpdate=off"), ("d", "social=off"), ("e", "type:social=off"),
            ] {
                let result = try await pipeline.system.tidings("recipient", "set", person, "--prefer", choice)
                #expect(result.exitCode == 0, "\(result.errors)")
            }
            for person in ["a", "b", "c"] { await pipeline.publish(event(id: "to-\(person)", to: person)) }
            await pipeline.publish(event(id: "mandatory", type: "securityAlert", to: "d"), key: "social.securityAlert")
            await pipeline.publish(event(id: "social", type: "social", to: "d"), key: "social.social")
            await pipeline.publish(event(id: "only-the-type", type: "social", to: "e"), key: "social.social")

            #expect(
                try await pipeline.outcome(of: "to-a") == [
                    Ended("inApp", "suppressed", "channelDisabled"), Ended("push", "suppressed", "noDevice"),
                ])
            #expect(
                try await pipeline.outcome(of: "to-b") == [
                    Ended("inApp", "suppressed", "categoryDisabled"), Ended("push", "suppressed", "categoryDisabled"),
                ])
            #expect(
                try await pipeline.outcome(of: "to-c") == [
                    Ended("inApp", "suppressed", "typeDisabled"), Ended("push", "suppressed", "typeDisabled"),
                ])
            #expect(try await pipeline.outcome(of: "social") == [Ended("inApp", "suppressed", "categoryDisabled")])
            #expect(try await pipeline.outcome(of: "only-the-type") == [Ended("inApp", "suppressed", "typeDisabled")])
            #expect(try await pipeline.outcome(of: "mandatory") == [Ended("inApp", "delivered", "delivered")])
            try await pipeline.expectSound()
        }
    }

    @Test func aChannelThatIsSwitchedOnAgainIsSent() async throws {
        try await withPipeline { pipeline in
            for (id, choice, state) in [("off", "inApp=off", "suppressed"), ("on", "inApp=on", "delivered")] {
                #expect(try await pipeline.system.tidings("recipient", "set", "a", "--prefer", choice).exitCode == 0)
                await pipeline.publish(event(id: id, to: "a"))
                #expect(try await pipeline.outcome(of: id).first?.state == state)
            }
            try await pipeline.expectSound()
        }
    }

    /// A table of people's settings cannot be read for a while. Nothing is decided meanwhile, neither about a new event nor at the end of
    /// quiet hours. Afterwards the settings count.
    @Test(arguments: ["recipients", "endpoints", "addresses"])
    func nothingIsDecidedWhilePreferencesAreUnreadable(table: String) async throws {
        try await withPipeline(catalogue: TestCatalogue.standard) { pipeline in
            let system = pipeline.system
            try await pipeline.setQuietHours(of: "sleeper")
            await pipeline.publish(event(id: "held", type: "social", to: "sleeper"), key: "social.social")
            #expect(try await pipeline.held("held") == [Ended("inApp", "held", "quietHours")])
            for person in ["reader", "sleeper"] {
                #expect(try await system.tidings("recipient", "set", person, "--prefer", "inApp=off").exitCode == 0)
            }

            _ = try await system.query("alter table tidings.\(unsafe: table) rename to unreadable")
            await pipeline.publish(event(id: "new", to: "reader"))
            try await pipeline.shiftClock(by: "1 hour")
            for failure in ["cannot commit a batch", "cannot release bulk"] {
                let hasFailed = try await pipeline.roles.says(failure)
                #expect(hasFailed, "\(failure): \(pipeline.roles.errorsSoFar)")
            }
            #expect(try await pipeline.taken() == 1)
            #expect(try await system.count("select count(*) from tidings.deliveries") == 0)
            #expect(try await system.count("select count(*) from tidings.rejected") == 0)
            _ = try await system.query("alter table tidings.unreadable rename to \(unsafe: table)")

            #expect(
                try await pipeline.outcome(of: "new") == [
                    Ended("inApp", "suppressed", "channelDisabled"), Ended("push", "suppressed", "noDevice"),
                ])
            #expect(try await pipeline.outcome(of: "held") == [Ended("inApp", "suppressed", "channelDisabled")])
            #expect(try await system.count("select count(*) from tidings.inbox") == 0)
            try await pipeline.expectSound()
        }
    }

    /// Two spellings that look alike are two people, as they are to PostgreSQL, even in one batch.
    @Test func peopleWhoseNamesLookAlikeAreTold() async throws {
        try await withPipeline { pipeline in
            let (composed, decomposed) = ("jos\u{e9}", "jose\u{301}")
            #expect(try await pipeline.system.tidings("recipient", "set", composed, "--prefer", "inApp=off").exitCode == 0)
            let both = [event(id: "composed", to: composed), event(id: "decomposed", to: decomposed)]
            await pipeline.publish("[" + both.joined(separator: ",") + "]", contentType: Pipeline.batch)
            #expect(try await pipeline.outcome(of: "composed").first?.state == "suppressed")
            #expect(try await pipeline.outcome(of: "decomposed").first?.state == "delivered")
            try await pipeline.expectSound()
        }
    }
}
