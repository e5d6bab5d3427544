import TidingsContracts
import TidingsCore
import TidingsPostgres

/// The requests of one transaction, with an id for each key that may be new. The ids stay the same when the transaction runs again.
struct ReservationBatch {
    /// The intent that asks for a key first, with the id that the key gets if it is new.
    struct Asked {
        let intent: DecodedIntent
        let id: NotificationID
    }

    /// The id that a key has, and its content.
    struct Owner {
        let id: NotificationID
        let contentHash: Digest128
    }

    let requests: [ReservationRequest]
    /// The new id of each distinct key.
    private let newIDs: [Digest128: NotificationID]

    init(_ requests: [ReservationRequest], nextID: () -> NotificationID) {
        self.requests = requests
        var ids: [Digest128: NotificationID] = [:]
        for intent in requests.lazy.flatMap(\.intents) where ids[intent.idempotencyKey] == nil { ids[intent.idempotencyKey] = nextID() }
        newIDs = ids
    }

    /// Distinct names in sorted order, so that concurrent transactions wait for each other instead of deadlocking.
    var names: [NamedRequest] {
        var seen: Set<NamedRequest.Name> = []
        return requests.compactMap(\.named).filter { seen.insert($0.name).inserted }.sorted { $0.name < $1.name }
    }

    /// The distinct keys of the requests that are `wanted`, in sorted order for the same reason.
    func asked(where isWanted: (Int) -> Bool) -> [Asked] {
        var seen: Set<Digest128> = []
        return requests.indices.filter(isWanted).flatMap { requests[$0].intents }.compactMap { intent in
            guard seen.insert(intent.idempotencyKey).inserted, let id = newIDs[intent.idempotencyKey] else { return nil }
            return Asked(intent: intent, id: id)
        }.sorted { $0.intent.idempotencyKey < $1.intent.idempotencyKey }
    }

    /// Answers a request whose keys have these owners.
    func answer(to request: ReservationRequest, owners: [Digest128: Owner]) throws(PostgresError) -> ReservationAnswer {
        var ids: [NotificationID] = []
        ids.reserveCapacity(request.intents.count)
        for (position, intent) in request.intents.enumerated() {
            guard let owner = owners[intent.idempotencyKey] else { throw .decoding("a reserved key has no id") }
            guard intent.contentHash == owner.contentHash else { return .conflict(position: position, existing: owner.id) }
            ids.append(owner.id)
        }
        return .reserved(ids)
    }
}
