import TidingsPostgres

@testable import TidingsStore

/// A statement that the schema refuses, or an answer that its reader cannot read.
struct StatementFault: Sendable, Hashable, CustomStringConvertible {
    /// The function of the call that sent the statement.
    let function: String
    let text: String

    var description: String { "\(function): \(text)" }

    /// Runs calls with each kind of made-up rows. Each fault comes once. A call that sends no statement is a fault too.
    ///
    /// - Parameter url: a migrated database. No row of it is read, and only notifications are added.
    /// - Returns: The faults, and the texts of the statements that were described.
    static func all(of calls: [StatementCall], at url: String) async throws -> (faults: [StatementFault], statements: Set<String>) {
        var faults: [StatementFault] = []
        var statements: Set<String> = []
        var silent = Set(calls.indices)
        for mode in MadeUpAnswers.Mode.allCases {
            let answers = MadeUpAnswers(mode)
            var configuration = try PostgresConfiguration(url: url)
            configuration.probe = answers.probe
            let store = Store(configuration, size: 2, name: "statements")
            for (index, call) in calls.enumerated() {
                answers.begin(call)
                do {
                    try await call.run(store)
                } catch {
                    let fault = Self.text(of: error, mode).map { StatementFault(function: call.function, text: $0) }
                    if let fault, !faults.contains(fault) { faults.append(fault) }
                }
                if answers.hasBeenAsked { silent.remove(index) }
            }
            await store.close()
            statements.formUnion(answers.statements)
        }
        faults += silent.sorted().map { StatementFault(function: calls[$0].function, text: "the call sends no statement") }
        return (faults, statements)
    }

    /// Nil for an error that is no fault of a statement.
    private static func text(of error: any Error, _ mode: MadeUpAnswers.Mode) -> String? {
        switch error {
        case let error as PostgresError: text(of: error, mode)
        case let error as UnwritableRow: text(of: error.cause, mode)
        case let error as ErasureFailure: text(of: error.cause, mode)
        case is StoreError, is RecipientErased: nil
        default: "the call failed: \(error)"
        }
    }

    private static func text(of error: PostgresError, _ mode: MadeUpAnswers.Mode) -> String? {
        switch error.kind {
        case .cancelled: nil
        // A made-up word, which the database never has.
        case .decoding where error.message.contains("is not known to this version"): nil
        // A statement that always has a row, such as a count, has none in this mode.
        case .decoding where mode == .noRow && error.message.contains("no row"): nil
        default: error.debugDescription
        }
    }
}
