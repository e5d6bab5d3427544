import Foundation
import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A catalogue that would do harm is refused, and the author of each active catalogue is recorded. No role runs: only the commands and the
/// database are needed.
@Suite struct ActiveCatalogueTests {
    /// A catalogue with these types, push through `phone`, and the markets us and ca unless others are given.
    private static func file(_ types: String..., push: String = "phone", markets: [String] = ["us", "ca"]) -> String {
        """
        types:
        \(types.map { "  \($0): {category: transactional}" }.joined(separator: "\n"))
        markets:
        \(markets.map { "  \($0): {push: [\(push)], inApp: [inbox]}" }.joined(separator: "\n"))
        defaultMarket: us
        providers:
          inbox: {channel: inApp, kind: inbox}
          \(push): {channel: push, kind: "null", addressing: person}
        """
    }

    private static func apply(
        _ yaml: String, to system: TestSystem, command: String = "apply", _ options: String...
    ) async throws -> TestProcess.Result {
        try await withFile(yaml) { path in
            try await TestProcess([TestSystem.binary, "catalogue", command, path] + options, environment: system.environment).finish()
        }
    }

    /// The rows of `catalogue history`, the newest first.
    private static func history(_ system: TestSystem) async throws -> [JSON] {
        let result = try await system.tidings("catalogue", "history", "-o", "json")
        #expect(result.exitCode == 0, "\(result.errors)")
        return try #require(JSON.parse(result.output).arrayValue)
    }

    private static func accept(_ type: String, in system: TestSystem) async throws {
        _ = try await system.query(
            """
            insert into tidings.notifications (id, tenant, source, event_id, recipient_id, type, category, lane, data, critical, expires_at,
                accepted_at, planned, decision, catalogue)
            values (tidings.first_id(tidings.clock()), 'default', '/tests', 'e', 'ann', \(type), 'transactional', 'urgent', '{}', false,
                tidings.clock() + interval '1 day', tidings.clock(), 1, '', '')
            """)
    }

    /// The built-in catalogue is only a sample until it is used.
    @Test func theFirstCatalogueReplacesTheBuiltInOneUnlessItIsUsed() async throws {
        try await withOwnSystem { system in
            // A command that reads the catalogue stores nothing.
            #expect(try await system.tidings("recipient", "set", "ann", "--market", "default").exitCode == 0)
            #expect(try await system.count("select count(*) from tidings.catalogues") == 0)
            #expect(try await Self.history(system).isEmpty)
            try await Self.accept("promotion", in: system)
            let used = try await Self.apply(Self.file("orderUpdate"), to: system)
            #expect(used.exitCode == 65, "\(used.errors)")
            #expect(used.errors.contains("type promotion: 1 of the latest 100000 notifications"), "\(used.errors)")
            #expect(used.errors.contains("market default: 1 recipients or devices belong to it"), "\(used.errors)")
            for unused in ["reminder", "LOAN_APPROVED", "webhook"] { #expect(!used.errors.contains(unused), "\(used.errors)") }
            #expect(try await system.count("select count(*) from tidings.active_catalogue") == 0)

            _ = try await system.query("update tidings.recipients set market = null")
            let first = try await Self.apply(Self.file("orderUpdate", "promotion"), to: system)
            #expect(first.exitCode == 0 && first.errors.contains("active: 2 types"), "\(first.errors)")
            let history = try await Self.history(system)
            #expect(history.count == 1 && history[0]["action"] == "apply" && history[0]["reason"] == .null)
            #expect(history[0]["author"]?.stringValue?.contains("@") == true && history[0]["database_role"]?.stringValue?.isEmpty == false)
            // The same file again changes nothing.
            let again = try await Self.apply(Self.file("orderUpdate", "promotion"), to: system)
            #expect(again.exitCode == 0 && again.errors.contains("active already"), "\(again.errors)")
            #expect(try await Self.history(system).count == 1)
        }
    }

    @Test func aRemovedEntryIsNamedAndReturnsWithARollback() async throws {
        try await withOwnSystem { system in
            #expect(try await Self.apply(Self.file("a", "b"), to: system, "--by", "alice", "--reason", "the start").exitCode == 0)
            try await Self.accept("b", in: system)
            _ = try await system.query(
                "insert into tidings.recipients (tenant, id, market, changed_at) values ('default', 'ann', 'ca', now())")
            _ = try await system.query(
                """
                insert into tidings.due (notification_id, ordinal, lane, due_at, kind, tenant, channel, provider, attempt, reason, since)
                select id, v.ordinal, 'urgent', 'infinity', 'held', 'default', 'push', v.provider, 1, v.reason, now()
                from tidings.notifications, (values (0::smallint, 'phone', 'paused'), (3, '', 'quietHours')) v(ordinal, provider, reason)
                """)
            _ = try await system.query(
                """
                insert into tidings.packs (id, channel, provider, lane, notification_ids, ordinals, attempts, decided_at)
                select gen_random_uuid(), 'push', 'phone', 'urgent', array[id, id], '{1,2}', '{1,1}', now() from tidings.notifications
                """)
            let less = Self.file("a", push: "other", markets: ["us"])
            let refused = try await Self.apply(less, to: system)
            #expect(refused.exitCode == 65 && refused.errors.contains("--remove"), "\(refused.errors)")
            for said in [
                "type b: 2 held or retrying deliveries wait for it; 1 of the latest 100000 notifications are of it",
                "provider phone: 2 deliveries in 1 packs are queued for it; 1 held or retrying deliveries wait for it; "
                    + "1 deliveries on its channel are held and may go to it when they are due",
                "market ca: 1 recipients or devices belong to it",
            ] { #expect(refused.errors.contains(said), "\(refused.errors)") }
            let told = try await Self.apply(less, to: system, "-o", "json")
            let object = try JSON.parse(told.output)
            #expect(told.exitCode == 65 && object["active"] == false)
            #expect(object["removals"]?.arrayValue?.compactMap { $0["name"]?.stringValue } == ["b", "phone", "ca"])
            #expect(try await Self.history(system).count == 1, "what is refused leaves no trace")

            let breaking = try await Self.apply(less, to: system, command: "diff")
            #expect(breaking.exitCode == 1 && breaking.output.hasPrefix("type b: is gone\n"), "\(breaking.output)")
            #expect(breaking.output.contains("breaking for producers:\n  type b: is gone"), "\(breaking.output)")
            #expect(breaking.output.contains("\n@@ ") && breaking.output.contains("\n-  b:\n"), "\(breaking.output)")

            #expect(try await Self.apply(less, to: system, "--remove", "--by", "bob", "--reason", "we moved").exitCode == 0)
            let shown = try await system.tidings("catalogue", "show")
            #expect(shown.errors.contains("by bob: we moved") && shown.output.contains("other:"), "\(shown.errors)")
            let rows = try await Self.history(system)
            #expect(rows.map { $0["author"]?.stringValue } == ["bob", "alice"] && rows[0]["ended_at"] == .null)
            let first = try #require(rows[1]["hash"]?.stringValue)
            #expect(rows[0]["replaced"]?.stringValue == first)
            let old = try await system.tidings("catalogue", "show", String(first.prefix(8)))
            #expect(old.output.contains("phone:") && old.errors.contains("not active") && old.errors.contains("alice"), "\(old.errors)")
            #expect(try await system.tidings("catalogue", "show", "000000").exitCode == 1)

            // A rollback to the larger catalogue needs `--remove` only for the provider that was added since. A rollback before that would
            // restore the samples, and is refused.
            #expect(try await system.tidings("catalogue", "rollback").exitCode == 64)
            let back = try await system.tidings("catalogue", "rollback", "--reason", "the old one", "--remove")
            #expect(back.exitCode == 0, "\(back.errors)")
            #expect(back.errors.contains("removed provider other: 1 deliveries on its channel are held"), "\(back.errors)")
            #expect(try await Self.history(system).map { $0["action"]?.stringValue } == ["rollback", "apply", "apply"])
            let further = try await system.tidings("catalogue", "rollback", "--reason", "further back")
            #expect(further.exitCode == 65 && further.errors.contains("type a: nothing waits for it"), "\(further.errors)")
        }
    }

    /// Each operator adds a type that the other's file lacks. The second file is compared with the catalogue that the first one made
    /// active.
    @Test func oneOfTwoOperatorsAtOnceIsRefused() async throws {
        try await withOwnSystem { system in
            #expect(try await Self.apply(Self.file("a"), to: system).exitCode == 0)
            async let first = Self.apply(Self.file("a", "b"), to: system)
            async let second = Self.apply(Self.file("a", "c"), to: system)
            let (one, other) = (try await first, try await second)
            #expect([one.exitCode, other.exitCode].sorted() == [0, 65], "\(one.errors)\(other.errors)")
            let (lost, refused) = one.exitCode == 0 ? ("type b", other) : ("type c", one)
            #expect(refused.errors.contains("\(lost): nothing waits for it"), "\(refused.errors)")
            #expect(try await Self.history(system).count == 2)

            // A binary of an earlier release writes only the table. Its change is recorded and protected too.
            let before = try await Self.history(system)[1]["hash"]?.stringValue
            _ = try await system.query("update tidings.active_catalogue set hash = \(before ?? "")")
            let rows = try await Self.history(system)
            #expect(rows.count == 3 && rows[0]["hash"]?.stringValue == before && rows[0]["author"] == rows[0]["database_role"])
            #expect(try await Self.apply(Self.file("z"), to: system).exitCode == 65)
        }
    }

    @Test func aTemplateThatHurtsIsRefused() async throws {
        func yaml(_ title: String) -> String {
            """
            types:
              parcel:
                category: transactional
                title: "\(title)"
                schema: {type: object, required: [number], properties: {number: {type: string}, locker: {type: string}}}
            """
        }
        func check(_ title: String, _ options: String...) async throws -> TestProcess.Result {
            try await withFile(yaml(title)) { path in
                try await CommandLineTests.run(["catalogue", "check", path] + options, [:])
            }
        }
        let mistake = try await check("Parcel {{nummer}} waits")
        #expect(mistake.exitCode == 65 && mistake.output.isEmpty)
        #expect(mistake.errors.contains("types.parcel.title (line 4): {{nummer}} is not declared"), "\(mistake.errors)")
        #expect(mistake.errors.contains("did you mean \"number\"?"), "\(mistake.errors)")
        let doubtful = try await check("Parcel {{number}} in {{locker}}")
        #expect(doubtful.exitCode == 0)
        #expect(doubtful.errors.contains("warning: types.parcel.title (line 4): {{locker}} may be empty"), "\(doubtful.errors)")
        let told = try JSON.parse(try await check("{{parcel.number}} in {{locker}}", "-o", "json").output)
        #expect(told["valid"] == false && told["problems"]?.arrayValue?.count == 1 && told["warnings"]?.arrayValue?.count == 1)
        #expect(told["problems"]?.arrayValue?.first?["line"]?.intValue == 4)

        try await withOwnSystem { system in
            let applied = try await Self.apply(yaml("{{#if number}}"), to: system)
            #expect(applied.exitCode == 65 && applied.errors.contains("{{#if number}} is not supported"), "\(applied.errors)")
            #expect(try await system.count("select count(*) from tidings.active_catalogue") == 0)
        }
    }

    /// Problems of the file, of a provider's settings and of this binary come together, each with its line.
    @Test func everyProblemIsToldInOneRun() async throws {
        let yaml = """
            types:
              like: {category: socal, projection: lieks}
            markets:
              us: {push: [service], sms: [servic]}
            defaultMarket: us
            providers:
              service:
                channel: push
                kind: http
                addressing: person
                settings:
                  url: "ftp://127.0.0.1/"
                  methd: PUTT
                  timeoutSeconds: 900
                  authorization: "env:NOPE"
            """
        try await withFile(yaml) { path in
            let told = try JSON.parse(try await CommandLineTests.run(["catalogue", "check", path, "-o", "json"], [:]).output)
            func places(_ name: String) -> [String] {
                (told[name]?.arrayValue ?? []).map { "\($0["path"]?.stringValue ?? "") \($0["line"]?.intValue ?? 0)" }
            }
            #expect(
                places("problems") == [
                    "types.like.category 2", "types.like.projection 2", "markets.us.sms 4", "providers.service.settings.method 12",
                    "providers.service.settings.url 12", "providers.service.settings.methd 13",
                    "providers.service.settings.timeoutSeconds 14",
                ], "\(told.serialized)")
            #expect(places("warnings") == ["providers.service.settings.authorization 15"], "\(told.serialized)")
            let text = try await CommandLineTests.run(["catalogue", "check", path], [:])
            #expect(text.exitCode == 65 && text.errors.contains("providers.service.settings.timeoutSeconds (line 14): \"900\" is not"))
            #expect(text.errors.contains("note: here, provider service, setting authorization"), "\(text.errors)")
        }
    }

    @Test func showSaysWhoseCatalogueItPrints() async throws {
        let nobodys = try await CommandLineTests.run(["catalogue", "show"], [:])
        #expect(nobodys.exitCode == 0 && nobodys.output.contains("orderUpdate"))
        #expect(nobodys.errors == "the built-in catalogue; no servers are configured\n")
        // A wrong address must not print a different catalogue.
        let wrong = try await CommandLineTests.run(["catalogue", "show"], ["TIDINGS_DATABASE_URL": "mysql://127.0.0.1/x"])
        #expect(wrong.exitCode == 78 && wrong.output.isEmpty, "\(wrong.errors)")
    }
}
