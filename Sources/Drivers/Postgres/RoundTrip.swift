/// Statements that travel together. Each question gives a ticket for its own answer, so the order of the statements, and conditions about
/// them, change nothing for the reader.
///
/// ```swift
/// var trip = RoundTrip()
/// trip.run("set local enable_seqscan = off")
/// let oldest = trip.ask(.first("select min(at) from event") { try $0.decode(PostgresTimestamp?.self) })
/// let found = try await transaction.send(trip)
/// let time = try found[oldest]
/// ```
public struct RoundTrip: Sendable {
    private(set) var statements: [SQL] = []

    public init() {}

    /// Creates a round trip of statements whose answers tell nothing.
    public init(running statements: [SQL]) { self.statements = statements }

    public var isEmpty: Bool { statements.isEmpty }

    /// Adds a statement whose answer tells nothing.
    public mutating func run(_ sql: SQL) { statements.append(sql) }

    /// Adds statements whose answers tell nothing.
    public mutating func run(_ statements: [SQL]) { self.statements += statements }

    /// Adds a statement, and returns the ticket for its answer.
    public mutating func ask<Answer>(_ statement: Statement<Answer>) -> Ticket<Answer> {
        statements.append(statement.sql)
        return Ticket(place: statements.count - 1, read: statement.read)
    }
}

/// The right to one answer of a round trip. Only ``RoundTrip/ask(_:)`` gives it.
public struct Ticket<Answer: Sendable>: Sendable {
    fileprivate let place: Int
    fileprivate let read: @Sendable (PostgresResult) throws -> Answer

    fileprivate init(place: Int, read: @escaping @Sendable (PostgresResult) throws -> Answer) {
        self.place = place
        self.read = read
    }
}

/// The answers to a round trip.
public struct Answers: Sendable {
    private let results: [PostgresResult]

    init(_ results: [PostgresResult]) { self.results = results }

    /// Reads the answer to which the ticket is a right. The ticket must be of the same round trip.
    public subscript<Answer>(ticket: Ticket<Answer>) -> Answer {
        get throws {
            precondition(ticket.place < results.count, "a ticket for statement \(ticket.place) of \(results.count)")
            return try ticket.read(results[ticket.place])
        }
    }
}

extension PostgresTransaction {
    /// Runs one statement, and reads its answer.
    public func query<Answer>(_ statement: Statement<Answer>) async throws -> Answer { try statement.read(await query(statement.sql)) }

    /// Runs the statements of a round trip. See ``PostgresConnection/pipeline(_:deadline:)``.
    @discardableResult public func send(_ trip: RoundTrip) async throws(PostgresError) -> Answers {
        Answers(try await pipeline(trip.statements))
    }
}

extension PostgresPool {
    /// Runs one statement by itself on a free connection, and reads its answer. See ``query(_:deadline:)``.
    public func query<Answer>(_ statement: Statement<Answer>, deadline: Duration? = nil) async throws -> Answer {
        try statement.read(await query(statement.sql, deadline: deadline))
    }

    /// Runs one statement as ``write(_:)`` does, and reads its answer.
    public func write<Answer>(_ statement: Statement<Answer>) async throws -> Answer { try statement.read(await write(statement.sql)) }

    /// Runs the statements of a round trip as one transaction. See ``pipeline(_:limit:asProof:)``.
    ///
    /// - Parameter opening: statements that run before those of the round trip, such as a change of the role.
    @discardableResult public func send(
        _ trip: RoundTrip, after opening: [SQL] = [], limit: Duration? = nil, asProof isProof: Bool = false
    ) async throws(PostgresError) -> Answers {
        let results = try await pipeline(opening + trip.statements, limit: limit, asProof: isProof)
        return Answers(Array(results.dropFirst(opening.count)))
    }
}
