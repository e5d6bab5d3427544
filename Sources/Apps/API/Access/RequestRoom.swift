import Synchronization

/// The requests in work in one process, the notifications that they ask for, and their large answers. A request is in work until its client
/// has taken the answer.
///
/// Requests that wait for the database or the broker stand in common lines. A caller with few requests in work leaves the lines short for
/// others, whatever its rate is.
final class RequestRoom: Sendable {
    /// Requests in work of one person. An app loads a screen with a few at once.
    static let perPerson = 32
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
        var notifications = Usage()
        var answers = Usage()
    }

    /// Things of one kind in work.
    private struct Usage {
        private var byOwner: [ByteRoom.Owner: Int] = [:]
        private var total = 0

        enum Refusal {
            case share(used: Int)
            case total
        }

        /// Nil if the things were taken.
        mutating func take(_ count: Int, for owner: ByteRoom.Owner, of part: ByteRoom.Part) -> Refusal? {
            let used = byOwner[owner, default: 0]
            guard used + count <= part.share else { return .share(used: used) }
            guard total + count <= part.total else { return .total }
            byOwner[owner] = used + count
            total += count
            return nil
        }

        mutating func giveBack(_ count: Int, of owner: ByteRoom.Owner) {
            guard count > 0 else { return }
            let rest = byOwner[owner, default: 0] - count
            byOwner[owner] = rest > 0 ? rest : nil
            total -= count
        }
    }

    private let state = Mutex(State())

    /// Counts a request. Throws a problem if the caller has too many in work.
    func begin(for owner: ByteRoom.Owner) throws -> RequestPlace {
        if let limit = Self.limit(of: owner) {
            let used = state.withLock { state -> Int? in
                let used = state.requests[owner, default: 0]
                guard used < limit else { return used }
                state.requests[owner] = used + 1
                return nil
            }
            if let used { throw Self.problem(owner, .requests, used: used, limit: limit) }
        }
        return RequestPlace(owner, in: self)
    }

    /// Nil: the requests do not count. Requests of strangers read nothing until they have proved who sent them.
    fileprivate static func limit(of owner: ByteRoom.Owner) -> Int? {
        switch owner {
        case .person: perPerson
        case .tenant: perTenant
        case .stranger, .provider: nil
        }
    }

    private static func problem(_ owner: ByteRoom.Owner, _ unit: UsedShare.Unit, used: Int, limit: Int) -> Problem {
        let share = UsedShare(of: owner.shareOwner, unit, used: used, limit: limit, perSecond: nil)
        return Problem.rateLimited(share, retryAfter: ByteRoom.pause)
    }

    fileprivate func take(notifications count: Int, for owner: ByteRoom.Owner) throws {
        let part = Self.notifications
        switch state.withLock({ $0.notifications.take(count, for: owner, of: part) }) {
        case nil: return
        case .share(let used)?: throw Self.problem(owner, .notifications, used: used, limit: part.share)
        case .total?:
            throw Problem.unavailable(
                "The server works on too many notifications. Send the same request again.", retryAfter: ByteRoom.pause)
        }
    }

    fileprivate func take(answerBytes count: Int, for owner: ByteRoom.Owner) throws {
        let part = Self.answers
        switch state.withLock({ $0.answers.take(count, for: owner, of: part) }) {
        case nil: return
        case .share(let used)?: throw Self.problem(owner, .bytes, used: used, limit: part.share)
        case .total?:
            throw Problem.unavailable("The server has no room for another large answer. Ask again.", retryAfter: ByteRoom.pause)
        }
    }

    fileprivate func end(_ owner: ByteRoom.Owner, notifications: Int, answerBytes: Int) {
        state.withLock { state in
            if let requests = state.requests[owner] { state.requests[owner] = requests > 1 ? requests - 1 : nil }
            state.notifications.giveBack(notifications, of: owner)
            state.answers.giveBack(answerBytes, of: owner)
        }
    }
}

/// The place of one request in work. It ends with its last reference, however the request ends.
final class RequestPlace: Sendable {
    private let owner: ByteRoom.Owner
    private let room: RequestRoom
    private let taken = Mutex((notifications: 0, answerBytes: 0))

    fileprivate init(_ owner: ByteRoom.Owner, in room: RequestRoom) {
        self.owner = owner
        self.room = room
    }

    deinit {
        let (notifications, answerBytes) = taken.withLock { $0 }
        room.end(owner, notifications: notifications, answerBytes: answerBytes)
    }

    /// Counts the notifications that the request asks for. Throws a problem if there are too many in work.
    func take(notifications count: Int) throws {
        try room.take(notifications: count, for: owner)
        taken.withLock { $0.notifications += count }
    }

    /// Counts a large answer. Throws a problem if there is no room for it. Answers to strangers are the same bytes for all.
    func take(answerBytes count: Int) throws {
        guard count > RequestRoom.smallAnswer, RequestRoom.limit(of: owner) != nil else { return }
        // An answer above the share is given alone.
        let bytes = min(count, RequestRoom.answers.share)
        try room.take(answerBytes: bytes, for: owner)
        taken.withLock { $0.answerBytes += bytes }
    }
}
