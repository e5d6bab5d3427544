import Testing
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

/// Operators build on `tidings_ops`. Every column has a comment, and reading needs no right on the tables behind the views.
@Suite struct OpsSurfaceTests {
    @Test func everyColumnAndFunctionHasAComment() async throws {
        try await withOwnSystem { system in
            let silent = try await system.query(
                """
                select format('%s.%s', c.relname, a.attname) from pg_class c
                join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                where c.relnamespace = 'tidings_ops'::regnamespace and c.relkind = 'v' and col_description(c.oid, a.attnum) is null
                union all
                select c.relname from pg_class c
                where c.relnamespace = 'tidings_ops'::regnamespace and c.relkind = 'v' and obj_description(c.oid, 'pg_class') is null
                union all
                select p.proname from pg_proc p
                where p.pronamespace = any(array['tidings_ops', 'tidings_api']::regnamespace[])
                    and obj_description(p.oid, 'pg_proc') is null
                order by 1
                """
            ).rows.map { try $0.decode(String.self) }
            #expect(silent.isEmpty, "without a comment: \(silent.joined(separator: ", "))")
        }
    }

    @Test func theReadOnlyRoleReadsEveryViewAndNoTable() async throws {
        try await withOwnSystem { system in
            let views = try await Self.names(of: "tidings_ops", kinds: "v", in: system)
            // The clock's offset holds no personal data, and the views read it.
            let tables = try await Self.names(of: "tidings", kinds: "rp", in: system).filter { $0 != "clock_offset" }
            try #require(views.count >= 15 && tables.count >= 15)
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: system.databaseURL))
            try await connection.execute(script: "set role tidings_ops_read")
            for view in views { _ = try await connection.query("select * from tidings_ops.\(unsafe: view) limit 1") }
            _ = try await connection.query("select * from tidings_ops.explain('01890000-0000-7000-8000-000000000000')")
            _ = try await connection.query("select * from tidings_ops.find('anything')")
            _ = try await connection.query("select * from tidings_ops.find_enqueued('anything')")
            _ = try await connection.query("select * from tidings_ops.reconcile('/shop', array['anything'], tidings_ops.kept_since())")
            _ = try await connection.query("select * from tidings_ops.promised('01890000-0000-7000-8000-000000000000')")
            for table in tables {
                let refusal = await #expect(throws: PostgresError.self, "\(table)") {
                    try await connection.query("select * from tidings.\(unsafe: table) limit 1")
                }
                #expect(refusal?.sqlState == "42501", "\(table)")
            }
            await #expect(throws: PostgresError.self) {
                try await connection.query("select tidings_api.enqueue('orderUpdate', 'reader')")
            }
            await connection.close()
        }
    }

    /// A user who may only read is told which right is missing, and what to do instead.
    @Test func commandsSayWhichRightIsMissing() async throws {
        try await withOwnSystem { system in
            let environment = system.environment.merging(["PGOPTIONS": "-c role=tidings_ops_read"]) { $1 }
            for arguments in [
                ["pause", "channel", "push", "--reason", "no"], ["recipient", "set", "p", "--market", "default"],
            ] {
                let result = try await TestProcess([TestSystem.binary] + arguments, environment: environment).finish()
                #expect(result.exitCode == 77, "\(arguments): \(result.errors)")
                #expect(result.errors.contains("permission denied for") && result.errors.contains("tidings_run"), "\(result.errors)")
            }
        }
    }

    /// The id of a 202 waits, is cancelled, or is refused. The answer has the state, and for a refusal the reason, the place and the next
    /// step.
    @Test func aReaderLearnsTheStateOfAPromisedID() async throws {
        try await withOwnSystem { system in
            func id(_ number: Int) -> String { "01890000-0000-7000-8000-00000000000\(number)" }
            for (number, reason) in [(1, nil), (2, "cancelledByProducer"), (3, nil)] as [(Int, String?)] {
                _ = try await system.query(
                    """
                    insert into tidings.reservations
                        (key, id, tenant, source, event_id, content_hash, reserved_at, cancelled_at, cancel_reason)
                    select gen_random_uuid(), \(id(number))::text::uuid, 'default', '/tests', \("event-\(number)"), gen_random_uuid(),
                        tidings.clock(), case when \(reason)::text is not null then tidings.clock() end, \(reason)
                    """)
            }
            let row = try await system.count(
                """
                insert into tidings.rejected (fingerprint, at, last_at, reason, pointer, message, source, event_id, exchange, routing_key,
                    headers, raw, size, sha256, replayable, producer)
                values (gen_random_uuid(), tidings.clock(), tidings.clock(), 'unknownType', '/type', 'not there', '/tests', 'event-3',
                    'e', 'k', '{}', '', 1, '', false, 'key:shop')
                returning id
                """)
            let environment = system.environment.merging(["PGOPTIONS": "-c role=tidings_ops_read"]) { $1 }
            let refusal = [
                "refused: unknownType at /type", "tidings rejected show \(row)", "what to do: \(ReasonCode.unknownType.whatToDo)",
            ]
            for (number, said) in [(1, ["no router has decided"]), (2, ["cancelled at", "cancelledByProducer"]), (3, refusal)] {
                for command in [["why"], ["notification", "show"]] {
                    let told = try await CommandLineTests.run(command + [id(number)], environment)
                    #expect(told.exitCode == 1, "\(command) \(number): \(told.errors)")
                    for text in said { #expect(told.errors.contains(text), "\(command) \(number): \(told.errors)") }
                }
            }
        }
    }

    /// The table is a copy of the list in the code, with every text.
    @Test func reasonCodesAreTheCodesOwn() async throws {
        try await withOwnSystem { system in
            let rows = try await system.query("select code, meaning, what_to_do, retryable from tidings_ops.reason_codes").rows
            var found: [String: ReasonCode] = [:]
            for row in rows {
                let (code, meaning, whatToDo, retryable) = try row.decode((String, String, String, Bool).self)
                let known = try #require(ReasonCode(rawValue: code), "\(code) is not in the code")
                #expect(meaning == known.meaning && whatToDo == known.whatToDo && retryable == known.isRetryable, "\(code)")
                found[code] = known
            }
            #expect(Set(found.values) == Set(ReasonCode.allCases))
        }
    }

    private static func names(of schema: String, kinds: String, in system: TestSystem) async throws -> [String] {
        try await system.query(
            """
            select relname::text from pg_class where relnamespace = \(schema)::regnamespace and strpos(\(kinds), relkind::text) > 0 order by 1
            """
        ).rows.map { try $0.decode(String.self) }
    }
}
