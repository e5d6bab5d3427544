import TidingsContracts
import TidingsCore
import TidingsCrypto
import TidingsJSON
import TidingsPostgres

/// The refused events and dead letters of an erasure. A row that tells of the person alone is deleted. Of a row that also tells of others,
/// the person is taken out, and its event can still be replayed for the others.
extension ErasureTurn {
    /// Takes refused events that list the person, until none does. Then walks along the events whose bytes may name people that the row
    /// does not list.
    func eraseRefused() async throws -> RunningErasure.Outcome {
        if let position = Int64(erasure.position) { return try await walk(.rejected, "k.names_others and k.id > \(position)") }
        let listed = try await rows(of: .rejected, RefusedErasure.lists(person, in: "k"))
        guard !listed.isEmpty else { return RunningErasure.Outcome(then: .again(position: "0", leftBehind: 0)) }
        return RunningErasure.Outcome(
            counts: try await RefusedErasure(table: .rejected, people: [person], transaction).run(listed),
            then: .again(position: "", leftBehind: 0))
    }

    /// Nothing lists the people of a dead letter, so each is read. A later one is looked at when it is stored:
    /// ``Store/Erasures/forgetErased(inDead:)``.
    func eraseDead() async throws -> RunningErasure.Outcome {
        try await walk(.dead, "k.id > \(Int64(erasure.position) ?? 0)")
    }

    private func walk(_ table: RefusedTable, _ condition: SQL) async throws -> RunningErasure.Outcome {
        let page = try await rows(of: table, condition)
        guard let last = page.last else { return RunningErasure.Outcome(then: .next) }
        return RunningErasure.Outcome(
            counts: try await RefusedErasure(table: table, people: [person], transaction).run(page),
            then: .again(position: "\(last.id)", leftBehind: 0))
    }

    private func rows(of table: RefusedTable, _ condition: SQL) async throws -> [RefusedErasure.Row] {
        try await transaction.query(RefusedErasure.page(of: table, condition))
    }
}

/// Takes people out of rows of refused events or dead letters.
struct RefusedErasure {
    struct Row: Sendable {
        let id: Int64
        let raw: [UInt8]
        let headers: String
        /// Empty for a dead letter.
        let listed: [String]
        let tenant: String
        /// Source and id of the event. Nil if they could not be read, and for a dead letter.
        let source: String?
        let eventID: String?
        /// Whether a process may have died of reading the message: its trial has no end.
        var isHarmful: Bool

        init(_ row: PostgresRow) throws {
            id = try row.decode("id")
            raw = try row.decode("raw")
            headers = try row.decode("headers")
            listed = try row.decode("listed")
            tenant = try row.decode("named_tenant")
            source = try row.decode("named_source")
            eventID = try row.decode("named_event")
            isHarmful = try row.decode("is_harmful")
        }
    }

    private let table: RefusedTable
    private let people: Set<RecipientKey>
    private let transaction: PostgresTransaction

    init(table: RefusedTable, people: Set<RecipientKey>, _ transaction: PostgresTransaction) {
        self.table = table
        self.people = people
        self.transaction = transaction
    }

    /// The condition that a refused event lists a person.
    static func lists(_ person: RecipientKey, in alias: SQL) -> SQL {
        """
        coalesce(\(alias).tenant, \(Intent.defaultTenant)) = \(person.tenant) and (\(alias).recipients[1] = \(person.id)
            or (cardinality(\(alias).recipients) > 1 and \(alias).recipients @> array[\(person.id)]))
        """
    }

    /// Selects and locks rows by a condition on `k`. PostgreSQL keeps the length of large bytes in the row, so the bytes beyond the limit
    /// are not read.
    static func page(of table: RefusedTable, _ condition: SQL) -> Statement<[Row]> {
        let columns: SQL =
            table == .rejected
            ? """
            r.recipients as listed, coalesce(r.tenant, \(Intent.defaultTenant)) as named_tenant, r.source as named_source,
                r.event_id as named_event, false as is_harmful
            """
            : """
            '{}'::text[] as listed, ''::text as named_tenant, null::text as named_source, null::text as named_event,
                r.state in ('quarantined', 'trying') as is_harmful
            """
        let query: SQL = """
            select r.id, r.raw, r.headers, \(columns) from \(table.name) r where r.id = any(array(
                select w.id from (
                    select l.id, sum(l.bytes) over (order by l.id) - l.bytes as bytes_before
                    from (select k.id, octet_length(k.raw) as bytes from \(table.name) k where \(condition)
                        order by k.id limit \(Store.erasureRefusedRows)) l
                ) w where w.bytes_before < \(Store.erasureRefusedBytes)))
            order by r.id for update
            """
        return .rows(query, Row.init)
    }

    /// Returns the number of changed and deleted rows, by table.
    func run(_ rows: [Row]) async throws -> [String: Int] {
        var deleted: [Int64] = []
        var statements: [SQL] = []
        var refused = DroppedIntents()
        for row in rows {
            switch verdict(on: row) {
            case .stays: continue
            case .deleted: deleted.append(row.id)
            case .changed(let bytes, listed: let listed): statements.append(update(row, bytes, listed))
            }
            for key in keys(of: row) { refused.add(refused: key) }
        }
        if !deleted.isEmpty { statements.append("delete from \(table.name) where id = any(\(deleted))") }
        guard !statements.isEmpty else { return [:] }
        var trip = RoundTrip()
        let changed = statements.map { trip.ask(.count($0)) }
        let reservations = refused.insert.map { trip.ask(.count($0)) }
        let found = try await transaction.send(trip)
        return [
            table.rawValue: try changed.reduce(0) { try $0 + found[$1] },
            "reservations": try reservations.map { try found[$0] } ?? 0,
        ]
    }

    /// The idempotency keys of a refused event for the people that are taken out.
    private func keys(of row: Row) -> [Digest128] {
        guard let source = row.source, let id = row.eventID else { return [] }
        return people.filter { $0.tenant.utf8.elementsEqual(row.tenant.utf8) }.map { IntentKey.key(of: $0, source: source, id: id) }
    }

    private enum Verdict {
        case stays, deleted
        case changed([UInt8], listed: [String])
    }

    private func verdict(on row: Row) -> Verdict {
        // Search a harmful message for the names alone: a releaser that died of it would die again in the next turn.
        if row.isHarmful { return MessagePeople.mayName(people, in: row.raw) ? .deleted : .stays }
        let rest = row.listed.filter { !people.contains(RecipientKey(tenant: row.tenant, id: $0)) }
        let isListed = rest.count < row.listed.count
        if isListed, rest.isEmpty { return .deleted }
        switch MessagePeople.removing(people, from: row.raw) {
        // The row lists the person, so the bytes name the person in a form that only a lenient reader understands.
        case .unnamed where isListed: return row.raw.isEmpty ? .changed(row.raw, listed: rest) : .deleted
        case .unnamed: return .stays
        case .nothing: return .deleted
        case .rest(let bytes): return .changed(bytes, listed: rest)
        }
    }

    /// The message and the headers may show the person. The meaning of the reason takes the place of the message.
    private func update(_ row: Row, _ bytes: [UInt8], _ listed: [String]) -> SQL {
        let isInHeaders = people.contains { row.headers.firstRange(of: JSON.string($0.id).serialized) != nil }
        let shared: SQL = """
            update \(table.name) r set raw = \(bytes), size = \(Int32(clamping: bytes.count)),
                message = coalesce((select c.meaning from tidings.reason_codes c where c.code = r.reason), ''),
                headers = case when \(isInHeaders) then '{}' else r.headers end,
                replay_headers = case when \(isInHeaders) then null else r.replay_headers end
            """
        let own: SQL =
            table == .rejected
            ? ", recipients = \(listed), sha256 = \(SHA256.hash(bytes)), replayable = r.replayable and not \(isInHeaders)" : ""
        return shared + own + " where r.id = \(row.id)"
    }
}

extension Store.Erasures {
    /// Takes erased people out of a dead letter that was just stored. A later one than the erasure is found so.
    public func forgetErased(inDead id: Int64) async throws {
        try await pool.transaction(isolation: .readCommitted) { transaction in
            var trip = RoundTrip(running: [Tombstones.beginWriting])
            let letter = trip.ask(RefusedErasure.page(of: .dead, "k.id = \(id)"))
            let areErased = trip.ask(.value("select exists (select from tidings.erased_people)", as: Bool.self))
            let found = try await transaction.send(trip)
            guard var row = try found[letter].first, try found[areErased] else { return }
            // The caller has read the message already.
            row.isHarmful = false
            let named = MessagePeople.recipients(of: row.raw)
            guard !named.isEmpty else { return }
            let erased = Set(try await transaction.query(Tombstones.among(named)))
            if !erased.isEmpty { _ = try await RefusedErasure(table: .dead, people: erased, transaction).run([row]) }
        }
    }
}
