import Foundation

/// Something that the server says on the event stream: counts and ids, no bodies.
enum InboxSignal: Hashable, Sendable {
    /// Counts of the inbox, and the ids of new and of changed items.
    case inbox(InboxChanges)
    /// The number of likes that are new since the last signal.
    case likes(new: Int)
    /// The server ends the stream, and the app connects again.
    case bye

    /// Nil for an event of an unknown kind, and for one whose data cannot be read: a later one, or the next list, brings the truth.
    init?(_ event: ServerSentEvent) {
        struct Likes: Decodable { var new: Int }
        let data = Data(event.data.utf8)
        switch event.event {
        case "inbox":
            guard let changes = try? JSONDecoder().decode(InboxChanges.self, from: data) else { return nil }
            self = .inbox(changes)
        case "likes":
            guard let likes = try? JSONDecoder().decode(Likes.self, from: data) else { return nil }
            self = .likes(new: max(0, likes.new))
        case "bye": self = .bye
        default: return nil
        }
    }
}

/// The data of an event `inbox`: `{unreadCount, total, newest, new, changed, reset, position}`.
struct InboxChanges: Codable, Hashable, Sendable {
    var unreadCount: Int
    var total: Int
    var newest: String?
    var new: [String]
    var changed: [String]
    /// Whether more happened than the event can name.
    var reset: Bool
    /// The position up to which the event tells. Nil from a server of an earlier version.
    var position: Int64?

    var counts: InboxCounts { InboxCounts(total: total, unreadCount: unreadCount) }

    init(
        unreadCount: Int, total: Int, newest: String? = nil, new: [String] = [], changed: [String] = [], reset: Bool = false,
        position: Int64? = nil
    ) {
        self.unreadCount = unreadCount
        self.total = total
        self.newest = newest
        self.new = new
        self.changed = changed
        self.reset = reset
        self.position = position
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            unreadCount: try members.decode(Int.self, forKey: .unreadCount), total: try members.decode(Int.self, forKey: .total),
            newest: try members.decodeIfPresent(String.self, forKey: .newest),
            new: try members.decodeIfPresent([String].self, forKey: .new) ?? [],
            changed: try members.decodeIfPresent([String].self, forKey: .changed) ?? [],
            reset: try members.decodeIfPresent(Bool.self, forKey: .reset) ?? false,
            position: try members.decodeIfPresent(Int64.self, forKey: .position))
    }
}

/// The waits between two connections. Pure: chance is an argument.
enum ReconnectDelay {
    /// The shortest and the longest wait, in seconds. When a server ends, all its clients lose their streams in the same moment. The range
    /// spreads their return.
    static let range = 1.0...30.0

    /// - Parameters:
    ///   - retry: Milliseconds that the server named. They replace the draw, because the server has drawn already.
    ///   - retryAfter: Seconds of the header `Retry-After`, added to the draw.
    ///   - random: A number from 0 to 1.
    static func seconds(retry: Int?, retryAfter: TimeInterval?, random: Double) -> TimeInterval {
        let drawn = range.lowerBound + random * (range.upperBound - range.lowerBound)
        let base = retry.map { Double($0) / 1_000 } ?? drawn
        // An hour at most: a wrong header must not switch the stream off.
        return min(3_600, base + (retryAfter ?? 0))
    }
}
