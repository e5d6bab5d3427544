package import TidingsPostgres

/// The rights of one person: the role `tidings_app`, to which the database shows only the rows of the person whom the transaction names.
/// Statements for a person run so. Decision 15 (row-level security) lists the statements that do not, each with its reason.
extension Store {
    /// Runs the statements of one person in one round trip and one transaction.
    ///
    /// - Parameter isProof: whether the answers are proof of a durable state, as the answer to a change is.
    package func asPerson(_ person: RecipientKey, _ trip: RoundTrip, asProof isProof: Bool = false) async throws -> Answers {
        try await pool.send(trip, after: [Self.beginPerson(person)], asProof: isProof)
    }

    /// Runs a statement of one person, and reads its answer.
    package func asPerson<Answer>(_ person: RecipientKey, _ statement: Statement<Answer>) async throws -> Answer {
        var trip = RoundTrip()
        let answer = trip.ask(statement)
        return try await asPerson(person, trip)[answer]
    }

    /// Runs a statement with the rights of a person, as ``asPerson(_:_:)``. For a statement that stores something new of the person.
    ///
    /// Throws ``RecipientErased`` if the person was erased. Nothing is stored then.
    package func storeAsPerson<Answer>(_ person: RecipientKey, _ statement: Statement<Answer>) async throws -> Answer {
        try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            var trip = RoundTrip()
            let isErased = trip.lookForTombstone(of: person)
            trip.run(Self.beginPerson(person))
            let answer = trip.ask(statement)
            let found = try await transaction.send(trip)
            if try found[isErased] { throw RecipientErased() }
            return try found[answer]
        }
    }

    /// From this statement on, a transaction has the rights of a person.
    ///
    /// The role and the person are settings of the transaction, so they end with it. A statement that names another person by mistake finds
    /// nothing.
    package static func beginPerson(_ person: RecipientKey) -> SQL {
        """
        select set_config('role', 'tidings_app', true), set_config('tidings.tenant', \(person.tenant), true),
            set_config('tidings.recipient', \(person.id), true)
        """
    }

    /// From this statement on, the transaction has the rights of the process again: those of its login, or of the role that the login begins
    /// with (`alter role … set role`). For transactions with a BEGIN of their own.
    package static var endPerson: SQL { "set local role to default" }
}
