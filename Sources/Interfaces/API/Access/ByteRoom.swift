import Synchronization
import TidingsMetrics
import TidingsStore
import TidingsWeb

/// The memory of requests in work in one process: the bytes of their bodies.
///
/// Bytes are counted before a body is read, and given back when its request is answered. Each kind of caller has a part of the memory, so
/// strangers take nothing from people or backends. Each caller has a share of the part, so one tenant takes nothing from another. The last
/// quarter of a part is for callers with no bytes in work, so a few callers at their shares do not keep all others out. The many people of
/// one tenant together have at most three quarters of a part, and the last quarter of these is for people with no bytes in work.
///
/// A body costs about five times its bytes while its request is in work: the events are copied, decoded and published. All parts together
/// then take 280 MiB of the memory of the unit.
final class ByteRoom: Sendable {
    typealias Kind = Metrics.ByteOwner

    /// The bytes for one kind of caller, and the most of one caller.
    struct Part: Sendable {
        let total: Int
        let share: Int

        /// The bytes up to which a caller with bytes in work takes more.
        var forBusyCallers: Int { total - total / 4 }

        /// The most of all people of one tenant. The rest is for the people of other tenants.
        var forPeopleOfTenant: Int { total - total / 4 }

        /// The bytes of all people of one tenant up to which one of them with bytes in work takes more.
        var forBusyPeopleOfTenant: Int { forPeopleOfTenant - forPeopleOfTenant / 4 }
    }

    /// Bodies of clients that have not proved who they are, such as callbacks. Four of the largest from one address.
    static let strangers = Part(total: 8 << 20, share: 1 << 20)
    /// Bodies of people. Eight of the largest of one person.
    static let people = Part(total: 8 << 20, share: 512 << 10)
    /// Bodies of backends, by tenant. Four of the largest batches of one tenant.
    static let tenants = Part(total: 32 << 20, share: 16 << 20)
    /// Callbacks that have proved their provider. Sixteen of the largest of one provider.
    static let providers = Part(total: 8 << 20, share: 4 << 20)

    static func part(of kind: Kind) -> Part {
        switch kind {
        case .strangers: strangers
        case .people: people
        case .tenants: tenants
        case .providers: providers
        }
    }

    /// The caller whose bytes are counted.
    enum Owner: Sendable, Hashable {
        /// Nil: the address is not known. Such clients have the whole part of strangers together, because they may be many.
        case stranger(ClientAddress?)
        case person(RecipientKey)
        case tenant(String)
        case provider(String)

        init(_ caller: Caller, at client: ClientAddress?) {
            switch caller {
            case .anyone: self = .stranger(client)
            case .person(let person, _): self = .person(person)
            case .key(let key): self = .tenant(key.share)
            }
        }

        /// The tenant whose people have a common bound. Nil for a caller that is no person.
        var tenantOfPeople: String? {
            switch self {
            case .person(let person): person.tenant
            case .stranger, .tenant, .provider: nil
            }
        }

        var kind: Kind {
            switch self {
            case .stranger: .strangers
            case .person: .people
            case .tenant: .tenants
            case .provider: .providers
            }
        }

        var shareOwner: UsedShare.Owner {
            switch self {
            case .stranger: .address
            case .person: .person
            case .tenant: .tenant
            case .provider: .provider
            }
        }
    }

    private struct State {
        var total: [Kind: Int] = [:]
        var byOwner: [Owner: Int] = [:]
        /// The bytes of all people of a tenant, by the tenant.
        var ofPeople: [String: Int] = [:]
    }

    /// The pause before a refused caller tries again. A request is in work for milliseconds.
    static let pause = Duration.seconds(1)

    private let state = Mutex(State())
    private let metrics: Metrics

    init(metrics: Metrics) { self.metrics = metrics }

    /// Reserves room. Throws a problem if the caller has used its share, or if there is no room for its kind.
    fileprivate func reserve(_ bytes: Int, for owner: Owner) throws {
        let part = Self.part(of: owner.kind)
        let refusal = state.withLock { state -> Problem? in
            let (used, total) = (state.byOwner[owner, default: 0], state.total[owner.kind, default: 0])
            guard owner == .stranger(nil) || used + bytes <= part.share else {
                let share = UsedShare(of: owner.shareOwner, .bytes, used: used, limit: part.share, perSecond: nil)
                return Problem.rateLimited(share, retryAfter: Self.pause)
            }
            let ofPeople = owner.tenantOfPeople.map { state.ofPeople[$0, default: 0] } ?? 0
            let bound = used == 0 ? part.forPeopleOfTenant : part.forBusyPeopleOfTenant
            guard owner.tenantOfPeople == nil || ofPeople + bytes <= bound else {
                let share = UsedShare(of: .tenant, .bytes, used: ofPeople, limit: bound, perSecond: nil)
                return Problem.rateLimited(share, retryAfter: Self.pause)
            }
            guard total + bytes <= (used == 0 ? part.total : part.forBusyCallers) else {
                return Problem.unavailable("The server has no room for another body. Send the same request again.", retryAfter: Self.pause)
            }
            if let tenant = owner.tenantOfPeople { state.ofPeople[tenant] = ofPeople + bytes }
            state.byOwner[owner] = used + bytes
            state.total[owner.kind] = total + bytes
            metrics.apiBytesInWork[owner.kind].add(bytes)
            return nil
        }
        if let refusal { throw refusal }
    }

    fileprivate func giveBack(_ bytes: Int, of owner: Owner) {
        guard bytes > 0 else { return }
        state.withLock { state in
            let used = state.byOwner[owner, default: 0] - bytes
            state.byOwner[owner] = used > 0 ? used : nil
            if let tenant = owner.tenantOfPeople {
                let ofPeople = state.ofPeople[tenant, default: 0] - bytes
                state.ofPeople[tenant] = ofPeople > 0 ? ofPeople : nil
            }
            state.total[owner.kind, default: 0] -= bytes
            metrics.apiBytesInWork[owner.kind].add(-bytes)
        }
    }
}

/// The bytes of one request. They are given back with the last reference to the lease, however the request ends.
final class ByteLease: Sendable {
    private struct State {
        var owner: ByteRoom.Owner
        var taken = 0
    }

    private let room: ByteRoom
    private let state: Mutex<State>

    init(_ room: ByteRoom, for owner: ByteRoom.Owner) {
        self.room = room
        state = Mutex(State(owner: owner))
    }

    deinit { state.withLock { room.giveBack($0.taken, of: $0.owner) } }

    /// Reserves more bytes. Throws a problem if there is no room for them.
    ///
    /// - Returns: The bytes that were reserved before.
    @discardableResult
    func reserve(_ bytes: Int) throws -> Int {
        try state.withLock { state -> Int in
            try room.reserve(bytes, for: state.owner)
            defer { state.taken += bytes }
            return state.taken
        }
    }

    /// Counts the bytes for another owner from now on, because the caller has proved who it is.
    func belongs(to owner: ByteRoom.Owner) throws {
        try state.withLock { state in
            try room.reserve(state.taken, for: owner)
            room.giveBack(state.taken, of: state.owner)
            state.owner = owner
        }
    }
}
