import Testing

@testable import TidingsPostgres

/// Warnings that contradict the answer of a commit.
struct NoticeTests {
    /// The text is in the server's language and says who ended the wait. The routine stays the same.
    @Test(arguments: [
        ("01000", "canceling wait for synchronous replication due to user request"),
        ("01000", "storniere Warten auf synchrone Replikation wegen Benutzeraufforderung"),
        ("57P01", "canceling the wait for synchronous replication and terminating connection"),
    ])
    func aWaitForTheStandbyThatEndedEarlyIsAnAmbiguousCommit(sqlState: String, message: String) {
        let warning = PostgresError(.server, sqlState: sqlState, message: message)
        let doubt = NoticeBox.doubt(warning, of: "SyncRepWaitForLSN")
        #expect(doubt?.kind == .notReplicated && doubt?.isAmbiguousCommit == true)
        #expect(doubt?.sqlState == sqlState)
        #expect(NoticeBox.doubt(warning, of: "exec_stmt_raise") == nil)
    }

    @Test func aTransactionThatIsNotTheMeantOneIsALostSession() {
        for code in ["25001", "25P01"] {
            let doubt = NoticeBox.doubt(PostgresError(.server, sqlState: code, message: ""), of: "RequireTransactionBlock")
            #expect(doubt?.kind == .connectionLost)
        }
    }

    /// COMMIT outside of a transaction succeeds with a warning. The statements before it may have been committed one by one, or rolled back.
    @Test func aCommitWithoutATransactionIsAmbiguous() async throws {
        try await withConnection { connection in
            let error = try await failure { try await connection.query("COMMIT") }
            #expect(error.sqlState == "25P01" && error.isAmbiguousCommit)
            #expect(!connection.isUsable)
        }
    }

    @Test func aTransactionInsideAnotherIsRefused() async throws {
        try await withConnection { connection in
            _ = try await connection.query("BEGIN")
            let error = try await failure { try await connection.pipeline(["BEGIN", "select 1"]) }
            #expect(error.sqlState == "25001" && !error.isAmbiguousCommit)
            #expect(error.retryability == .reconnect)
            #expect(!connection.isUsable)
        }
    }

    /// These change nothing.
    @Test func otherWarningsOfThisKindAreHarmless() async throws {
        try await withConnection { connection in
            _ = try await connection.query("ROLLBACK")
            _ = try await connection.query("set local lock_timeout = 5")
            #expect(connection.isUsable)
        }
    }

    @Test func aScriptWhoseCommitRolledBackFails() async throws {
        try await withConnection { connection in
            _ = try? await connection.pipeline(["BEGIN", "select 1/0"])
            let error = try await failure { try await connection.execute(script: "commit") }
            #expect(error.kind == .rolledBack)
        }
    }
}
