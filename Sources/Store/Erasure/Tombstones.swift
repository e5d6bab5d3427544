import TidingsCore
import TidingsPostgres

/// The erased people, each a row of `tidings.erased_people` that holds a keyed hash of the person (`tidings.person_hash`).
///
/// While no person is erased, a look costs nothing: PostgreSQL evaluates the first condition once for each statement. Otherwise a look
/// costs two SHA-256 and one lookup in an index for each person.
///
/// A transaction that writes something of a person looks first, and takes its id before it looks (``beginWriting``). An erasure sets its
/// barrier after the commit of the tombstone, and waits for all older transactions. So a transaction that saw no tombstone has ended before
/// the erasure looks for rows. This requires the isolation level read committed: the look must see what was committed after the id.
enum Tombstones {
    /// Gives the transaction its id.
    static let beginWriting: SQL = "select pg_current_xact_id()"

    /// The condition that a person is erased. `offset 0` makes PostgreSQL look up each person by itself.
    ///
    /// The hash is that of `tidings.person_hash`, which PostgreSQL cannot inline, because it reads a table. A call of it for each recipient
    /// would cost several times as much as the hash. Here the key is read once for each statement.
    static func isErased(tenant: SQL, recipient: SQL) -> SQL {
        """
        (exists (select from tidings.erased_people) and exists (select from tidings.erased_people t
            where t.person_hash = sha256(\(key) || sha256(\(key) || convert_to(\(tenant) || '/' || \(recipient), 'UTF8'))) offset 0))
        """
    }

    private static let key: SQL = "(select k.key from tidings.erasure_key k)"

    /// The people among these that are erased.
    static func among(_ people: some Collection<RecipientKey>) -> Statement<[RecipientKey]> {
        let query: SQL = """
            select asked.tenant, asked.recipient_id from \(Array(people).relation("asked"))
            where \(isErased(tenant: "asked.tenant", recipient: "asked.recipient_id"))
            """
        return .rows(query) { RecipientKey(tenant: try $0.decode("tenant"), id: try $0.decode("recipient_id")) }
    }

    /// Whether a person is erased.
    static func isErased(_ person: RecipientKey) -> Statement<Bool> { among([person]).map { !$0.isEmpty } }
}

extension RoundTrip {
    /// Adds the first statements of a transaction that stores something of a person. The transaction must be of the isolation level read
    /// committed. If the person is erased, it must not be committed.
    ///
    /// - Returns: The ticket for whether the person is erased.
    mutating func lookForTombstone(of person: RecipientKey) -> Ticket<Bool> {
        run(Tombstones.beginWriting)
        return ask(Tombstones.isErased(person))
    }
}
