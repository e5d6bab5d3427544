import Synchronization
import TidingsWeb

/// The requests in work in one process, the notifications that they ask for, and their large answers. A request is in work until its client
/// has taken the answer.
///
/// Requests that wait for the database or the broker stand in common lines. A caller with few requests in work leaves the lines short for
/// others, whatever its rate is.
final class RequestRoom: Sendable {
    /// Requests in work of one person. An app loads a screen with a few at once.
    static let perPerson = 32
    /// Requests in work of all people of a tenant: sixty-four for each connection to the database.
    static let perPeople = 512
    /// The part of these that people with requests in work share. The rest is for people with none, so that a few people with slow bodies do
    /// not keep out all others of their tenant.
    static let perBusyPeople = perPeople - perPeople / 4
    /// Requests in work of all keys of a tenant: sixteen for each connection to the database.
    static let perTenant = 128
    /// Notifications that requests in work ask for. One request may ask for as many as a tenant may.
    static let notifications = ByteRoom.Part(total: 60_000, share: 20_000)
    /// Bytes of large answers that their clients have not taken. The largest page of an inbox has 25 MiB.
    static let answers = ByteRoom.Part(total: 64 << 20, share: 32 << 20)
    /// The largest answer that does not count. An ordinary page is far smaller, so people with slow networks take nothing from others.
    static let smallAnswer = 64 << 10

    private struct State {
        var requests: [ByteRoom.Owner: Int] = [:]
        /// Requests of all people of a tenant, by the tenant.
        var ofPeople: [String: Int] = [:]
        var notifications = Usage()
        var answers = Usage()
    }

    /// Things of one kind in work.
    private struct Usage {
        private var byOwner: [ByteRoom.Owner: Int] = [:]
        private var ofPeople: [String: Int] = [:]
        private var total = 0

        enum Refusal {
            /// The caller has used its share.
            case share(used: Int)
            /// The people of the tenant have used what they have together.
            case people(used: Int, limit: Int)
            case total
        }

        /// Nil if the things were reserved. The last quarter of a part is for callers that hold nothing of it, so that a few callers who take
        /// their answers slowly do not keep all others out.
        mutating func reserve(_ count: Int, for owner: ByteRoom.Owner, of part: ByteRoom.Part) -> Refusal? {
            let used = byOwner[owner, default: 0]
            guard used + count <= part.share else { return .share(used: used) }
            let people = owner.tenantOfPeople.map { ofPeople[$0, default: 0] } ?? 0
            let bound = used == 0 ? part.forPeopleOfTenant : part.forBusyPeopleOfTenant
            guard owner.tenantOfPeople == nil || people + count <= bound else { return .people(used: people, limit: bound) }
            guard total + count <= (used == 0 ? part.total : part.forBusyCallers) else { return .total }
            if let tenant = owner.tenantOfPeople { ofPeople[tenant] = people + count }
            byOwner[owner] = used + count
            total += count
            return nil
        }

        mutating func giveBack(_ count: Int, of owner: ByteRoom.Owner) {
            guard count > 0 else { return }
            let rest = byOwner[owner, default: 0] - count
            byOwner[owner] = rest > 0 ? rest : nil
            if let tenant = owner.tenantOfPeople {
                let people = ofPeople[tenant, default: 0] - count
                ofPeople[tenant] = people > 0 ? people : nil
            }
            total -= count
        }
    }

    private let state = Mutex(State())

    /// Counts a request. Throws a problem if the caller, or the people of its tenant, have too many in work.
    ///
    /// - Parameter opensStream: whether the request opens a stream of events. Such a request counts for its person alone: streams that open at
    ///   once share their queries, and after the end of a process all people of a tenant come at once.
    func begin(for owner: ByteRoom.Owner, opensStream: Bool = false) throws -> RequestPlace {
        let tenant = opensStream ? nil : owner.tenantOfPeople
        let refusal = state.withLock { state in Self.begin(owner, amongPeopleOf: tenant, in: &state) }
        if let refusal { throw refusal }
        return RequestPlace(owner, amongPeopleOf: tenant, in: self)
    }

    /// Nil if the request may begin.
    private static func begin(_ owner: ByteRoom.Owner, amongPeopleOf tenant: String?, in state: inout State) -> Problem? {
        guard let limit = Self.limit(of: owner) else { return nil }
        let used = state.requests[owner, default: 0]
        guard used < limit else { return problem(owner.shareOwner, .requests, used: used, limit: limit) }
        if let tenant {
            let people = state.ofPeople[tenant, default: 0]
            let bound = used == 0 ? perPeople : perBusyPeople
            guard people < bound else { return problem(.tenant, .requests, used: people, limit: bound) }
            state.ofPeople[tenant] = people + 1
        }
        state.requests[owner] = used + 1
        return nil
    }

    /// Nil: the requests do not count. Requests of strangers read nothing until they have proved who sent them.
    fileprivate static func limit(of owner: ByteRoom.Owner) -> Int? {
        switch owner {
        case .person: perPerson
        case .tenant: perTenant
        case .stranger, .provider: nil
        }
    }

    private static func problem(_ owner: UsedShare.Owner, _ unit: UsedShare.Unit, used: Int, limit: Int) -> Problem {
        let share = UsedShare(of: owner, unit, used: used, limit: limit, perSecond: nil)
        return Problem.rateLimited(share, retryAfter: ByteRoom.pause)
    }

    fileprivate func reserve(notifications count: Int, for owner: ByteRoom.Owner) throws {
        let part = Self.notifications
        switch state.withLock({ $0.notifications.reserve(count, for: owner, of: part) }) {
        case nil: return
        case .share(let used)?: throw Self.problem(owner.shareOwner, .notifications, used: used, limit: part.share)
        case .people(let used, let limit)?: throw Self.problem(.tenant, .notifications, used: used, limit: limit)
        case .total?:
            throw Problem.unavailable(
                "The server works on too many notifications. Send the same request again.", retryAfter: ByteRoom.pause)
        }
    }

    fileprivate func reserve(answerBytes count: Int, for owner: ByteRoom.Owner) throws {
        let part = Self.answers
        switch state.withLock({ $0.answers.reserve(count, for: owner, of: part) }) {
        case nil: return
        case .share(let used)?: throw Self.problem(owner.shareOwner, .bytes, used: used, limit: part.share)
        case .people(let used, let limit)?: throw Self.problem(.tenant, .bytes, used: used, limit: limit)
        case .total?:
            throw Problem.unavailable("The server has no room for another large answer. Ask again.", retryAfter: ByteRoom.pause)
        }
    }

    fileprivate func end(_ owner: ByteRoom.Owner, amongPeopleOf tenant: String?, notifications: Int, answerBytes: Int) {
        state.withLock { state in
            if let requests = state.requests[owner] { state.requests[owner] = requests > 1 ? requests - 1 : nil }
            if let tenant, let requests = state.ofPeople[tenant] {
                state.ofPeople[tenant] = requests > 1 ? requests - 1 : nil
            }
            state.notifications.giveBack(notifications, of: owner)
            state.answers.giveBack(answerBytes, of: owner)
        }
    }
}

/// The place of one request in work. It ends with its last reference, however the request ends.
final class RequestPlace: Sendable {
    private let owner: ByteRoom.Owner
    /// The tenant whose people the request counts for. Nil if it counts for none.
    private let tenant: String?
    private let room: RequestRoom
    private let taken = Mutex((notifications: 0, answerBytes: 0))

    fileprivate init(_ owner: ByteRoom.Owner, amongPeopleOf tenant: String?, in room: RequestRoom) {
        self.owner = owner
        self.tenant = tenant
        self.room = room
    }

    deinit {
        let (notifications, answerBytes) = taken.withLock { $0 }
        room.end(owner, amongPeopleOf: tenant, notifications: notifications, answerBytes: answerBytes)
    }

    /// Counts the notifications that the request asks for. Throws a problem if there are too many in work.
    func reserve(notifications count: Int) throws {
        try room.reserve(notifications: count, for: owner)
        taken.withLock { $0.notifications += count }
    }

    /// Counts a large answer. Throws a problem if there is no room for it. Answers to strangers are the same bytes for all.
    func reserve(answerBytes count: Int) throws {
        guard count > RequestRoom.smallAnswer, RequestRoom.limit(of: owner) != nil else { return }
        // An answer above the share is given alone.
        let bytes = min(count, RequestRoom.answers.share)
        try room.reserve(answerBytes: bytes, for: owner)
        taken.withLock { $0.answerBytes += bytes }
    }
}
