import TidingsPostgres

@testable import TidingsStore

/// The store itself, the rights of the roles and the properties of the server.
extension StatementCall {
    static let schema: [StatementCall] = [
        StatementCall("open", with: ["version": .number(Migration.latest), "oldest_binary_schema": .number(1)]) { store in
            do {
                try await store.open()
            } catch StoreError.schemaBeforeBaseline {
                // Only a view without one of the columns makes the store ask for the version in another way.
                throw PostgresError.decoding("tidings_ops.schema_version lacks a column")
            }
        },
        StatementCall("missingRights", with: ["kind": "table"]) { _ = try await $0.missingRights(with: [Self.part]) },
        StatementCall("requireTables") { try await $0.requireTables(of: [Self.part], onSchema: Migration.latest) },
        StatementCall("serverFaults") { _ = try await $0.serverFaults() },
        StatementCall("compilesStatements") { _ = try await $0.compilesStatements() },
    ]

    private static let part = SchemaPart(
        of: "visits", sql: "", tables: [.init("visits", seenBy: "recipient_id")], rights: [.init(.app, .select, on: "visits")])
}
