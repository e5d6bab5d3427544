import TidingsStore

/// A call of a function of the store, with arguments that make it send its statements.
///
/// The lists stand in files of their own, one for each aggregate. A function has a call for each branch that selects other SQL.
struct StatementCall: Sendable {
    /// The name of the function that is called, or whose statement the call prepares.
    let function: String
    /// Values that differ from the usual ones, by the names of their columns.
    let values: [String: MadeUpValue]
    let run: @Sendable (Store) async throws -> Void

    init(
        _ function: String, with values: [String: MadeUpValue] = [:], run: @escaping @Sendable (Store) async throws -> Void
    ) {
        self.function = function
        self.values = values
        self.run = run
    }

    /// The lists, in the order of the folders of the store.
    static let aggregates: [[StatementCall]] = [
        schema, intake, reservations, apiKeys, outbox, due, inbox, reports, engagement, pauses, localPlans, recipients, addresses, erasure,
        catalogues,
        refused, timelines, upkeep, operations, measurements,
    ]

    static let all: [StatementCall] = aggregates.flatMap { $0 }
}
