import Synchronization

/// The requests in work in one process, and the notifications that they ask for.
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

    private struct State {
        var requests: [ByteRoom.Owner: Int] = [:]
        var notifications: [ByteRoom.Owner: Int] = [:]
        var allNotifications = 0
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
    private static func limit(of owner: ByteRoom.Owner) -> Int? {
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
        let refusal = state.withLock { state -> Problem? in
            let used = state.notifications[owner, default: 0]
            guard used + count <= part.share else { return Self.problem(owner, .notifications, used: used, limit: part.share) }
            guard state.allNotifications + count <= part.total else {
                return Problem.unavailable(
                    "The server works on too many notifications. Send the same request again.", retryAfter: ByteRoom.pause)
            }
            state.notifications[owner] = used + count
            state.allNotifications += count
            return nil
        }
        if let refusal { throw refusal }
    }

    fileprivate func end(_ owner: ByteRoom.Owner, notifications count: Int) {
        state.withLock { state in
            if let requests = state.requests[owner] { state.requests[owner] = requests > 1 ? requests - 1 : nil }
            guard count > 0 else { return }
            let rest = state.notifications[owner, default: 0] - count
            state.notifications[owner] = rest > 0 ? rest : nil
            state.allNotifications -= count
        }
    }
}

/// The place of one request in work. It ends with its last reference, however the request ends.
final class RequestPlace: Sendable {
    private let owner: ByteRoom.Owner
    private let room: RequestRoom
    private let notifications = Mutex(0)

    fileprivate init(_ owner: ByteRoom.Owner, in room: RequestRoom) {
        self.owner = owner
        self.room = room
    }

    deinit { room.end(owner, notifications: notifications.withLock { $0 }) }

    /// Counts the notifications that the request asks for. Throws a problem if there are too many in work.
    func take(notifications count: Int) throws {
        try room.take(notifications: count, for: owner)
        notifications.withLock { $0 += count }
    }
}
