import Testing
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsLikes

/// The database itself keeps the likes of people apart, whatever a statement says.
@Suite struct LikesRightsTests {
    /// The statements have no condition on the person, as if a programmer had forgotten it.
    @Test func aFaultyConditionFindsOnlyThePersonsOwnRows() async throws {
        try await LikesScene.with { scene in
            for (person, liker) in [("ann", "bob"), ("bob", "ann"), ("cy", "dan")] { try await scene.like(person, by: liker) }
            #expect(try await scene.likes.answer(.like, of: "ann", to: "bob", tenant: LikesScene.tenant) == .matched)
            #expect(try await scene.likes.answer(.like, of: "cy", to: "dan", tenant: LikesScene.tenant) == .matched)
            for person in ["ann", "cy"] {
                _ = try await scene.likes.startUnblur(of: person, tenant: LikesScene.tenant, seconds: 600)
            }
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            let answers = try await connection.pipeline([
                "begin", "set local role tidings_app",
                "select set_config('tidings.tenant', 'default', true), set_config('tidings.recipient', 'ann', true)",
                "select liker_id from tidings.likes", "select one_id, other_id from tidings.matches",
                "select recipient_id from tidings.unblurs", "update tidings.likes set passed = true where true",
                "update tidings.unblurs set expires_at = tidings.clock() where recipient_id = 'cy'",
                "select recipient_id from tidings.liked_people", "commit",
            ])
            await connection.close()
            #expect(try answers[3].rows.map { try $0.decode(String.self) } == ["bob"])
            #expect(answers[4].rows.count == 1 && answers[5].rows.count == 1)
            #expect(answers[6].affectedRows == 1 && answers[7].affectedRows == 0)
            #expect(try answers[8].rows.map { try $0.decode(String.self) } == ["ann"])
            #expect(try await scene.count("select count(*) from tidings.likes where passed") == 1)
        }
    }

    @Test func anExportHasTheLikesThatThePersonGave() async throws {
        try await LikesScene.with { scene in
            for (person, liker) in [("ann", "bob"), ("cy", "bob"), ("bob", "ann")] { try await scene.like(person, by: liker) }
            for (liker, expected) in [("bob", ["ann", "cy"]), ("ann", ["bob"]), ("cy", [])] as [(String, [String])] {
                let liked: [String] = try await scene.likes.own(
                    liker, LikesScene.tenant,
                    .rows("select recipient_id from tidings.own_likes_given order by 1") { try $0.decode(String.self) })
                #expect(liked == expected, "\(liker)")
            }
            // The process names no person.
            #expect(try await scene.count("select count(*) from tidings.own_likes_given") == 0)
        }
    }

    /// The role of a process that only serves the API touches an unblur only in a statement of its person.
    @Test func theRoleOfTheAPIHasNoRightOnUnblurs() async throws {
        try await LikesScene.with { scene in
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "set role tidings_run_api")
            for statement in ["select 1 from tidings.unblurs", "insert into tidings.unblurs default values"] {
                let refusal = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await connection.query("\(unsafe: statement)")
                }
                #expect(refusal?.sqlState == "42501", "\(statement)")
            }
            await connection.close()
        }
    }

    /// The role has the rights that people's statements need, and no other.
    @Test func theRoleMayDoNothingElse() async throws {
        try await LikesScene.with { scene in
            let connection = try await PostgresConnection.connect(PostgresConfiguration(url: scene.system.databaseURL))
            try await connection.execute(script: "set role tidings_app")
            for statement in [
                "delete from tidings.likes", "update tidings.likes set name = 'x'", "update tidings.liked_people set newest = 0",
                "insert into tidings.matches select * from tidings.matches", "delete from tidings.unblurs",
                "update tidings.unblurs set recipient_id = 'x'",
            ] {
                let refusal = await #expect(throws: PostgresError.self, "\(statement)") {
                    try await connection.query("\(unsafe: statement)")
                }
                #expect(refusal?.sqlState == "42501", "\(statement)")
            }
            // A row of another person is refused by the policy.
            let refusal = await #expect(throws: PostgresError.self) {
                try await connection.pipeline([
                    "select set_config('tidings.tenant', 'default', true), set_config('tidings.recipient', 'ann', true)",
                    "insert into tidings.unblurs values ('default', 'bob', now())",
                ])
            }
            #expect(refusal?.sqlState == "42501")
            await connection.close()
        }
    }
}
