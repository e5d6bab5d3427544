import Testing
import TidingsPostgres
import TidingsTestSupport

/// The statements of the store against the migrated schema, also those of branches that run once a year.
///
/// PostgreSQL parses and describes each statement and runs none: a name that does not exist is an error. The readers get made-up rows with
/// the described columns: a column that a reader does not find, or finds with another type, is an error too.
@Suite struct StatementTests {
    @Test func everyStatementFitsTheSchemaAndItsReader() async throws {
        try await withTestSystem(usesBroker: false) { system in
            let (faults, statements) = try await StatementFault.all(of: StatementCall.all, at: system.databaseURL)
            for fault in faults { Issue.record("\(fault)") }
            #expect(statements.count > 200, "the statements are not described any more")
        }
    }

    /// Functions without a call, each with its reason.
    private static let uncalled = ["close": "sends no statement"]

    @Test func everyFunctionOfTheStoreIsCalled() throws {
        let functions = try StoreFunctions()
        try #require(functions.offered.count > 150, "the functions are not recognised any more")
        let called = Set(StatementCall.all.map(\.function))
        for name in functions.offered.subtracting(called).sorted() {
            #expect(Self.uncalled[name] != nil, "\(name) has no call: add one to the list of its aggregate")
        }
        for name in called.subtracting(functions.all).sorted() { Issue.record("no function of the store has the name \(name)") }
        for name in Self.uncalled.keys where !functions.offered.contains(name) || called.contains(name) {
            Issue.record("\(name) needs no exception: take it off the list")
        }
    }

    @Test func theHeadsOfFunctionsAreRecognised() {
        let functions = StoreFunctions(
            reading: """
                extension Store {
                    /// func comment() async {
                    public func one() async throws -> Int { 1 }
                    @discardableResult
                    package func two(
                        _ body: (Int) -> Void, limit: Int = 1
                    ) async throws
                        -> JSON?
                    {
                    }
                    func hidden() async {}
                    public static func ofTheType() async {}
                    public func plain() {}
                }

                extension Store.Part {
                    public func one() async {}
                    func hidden() async {}
                }

                extension Other {
                    public func another() async {}
                }
                """)
        #expect(functions.offered == ["one", "two", "part.one"])
        #expect(functions.all == ["one", "two", "hidden", "ofTheType", "plain", "part.one", "part.hidden", "another"])
    }

    /// A column that an insert names, one that a condition names, and one that a reader asks for.
    @Test func aRenamedColumnIsFound() async throws {
        let renamed = [
            ("due", "pause_id", StatementCall.due), ("inboxes", "forgotten", StatementCall.inbox),
            ("idempotent_requests", "fingerprint", StatementCall.reservations),
        ]
        try await withTestSystem(usesBroker: false) { system in
            for (table, column, calls) in renamed {
                _ = try await system.query("alter table tidings.\(unsafe: table) rename column \(unsafe: column) to of_a_test")
                let faults = try await StatementFault.all(of: calls, at: system.databaseURL).faults
                #expect(faults.contains { $0.text.contains(column) }, "\(table).\(column): \(faults)")
                _ = try await system.query("alter table tidings.\(unsafe: table) rename column of_a_test to \(unsafe: column)")
                let left = try await StatementFault.all(of: calls, at: system.databaseURL).faults
                #expect(left.isEmpty, "\(table).\(column): \(left)")
            }
        }
    }
}
