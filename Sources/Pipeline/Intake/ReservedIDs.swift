import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsStore

/// The ids that the HTTP API promised for the notifications of a message, in the header ``QueueNames/idsHeader``.
package enum ReservedIDs {
    /// The age from which a reserved id is not used: keys of older ids are being moved, and the partition of an older day may be missing. The
    /// notification then gets an id of its own, and the reserved id stays another name for it.
    package static let longestAge = Store.keysStayRecent
    /// The time by which an id may be ahead of this process, because clocks of processes differ.
    package static let longestLead = Duration.seconds(60)

    static func encode(_ ids: [NotificationID]) -> AMQPValue {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ids.count * 16)
        for half in ids.lazy.flatMap({ [$0.high, $0.low] }) {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: half >> UInt64(shift))) }
        }
        return .bytes(bytes)
    }

    /// Nil if the length is no multiple of 16, if some 16 bytes are no UUID of version 7, or if an id comes twice.
    static func decode(_ value: AMQPValue) -> [NotificationID]? {
        let bytes: [UInt8]
        switch value {
        case .bytes(let raw): bytes = raw
        // Bytes that happen to be UTF-8.
        case .string(let text): bytes = Array(text.utf8)
        case .int, .double, .bool, .timestamp, .array, .table, .void, .tooDeep: return nil
        }
        guard !bytes.isEmpty, bytes.count.isMultiple(of: 16) else { return nil }
        func half(_ start: Int) -> UInt64 { bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
        let ids = stride(from: 0, to: bytes.count, by: 16).map { NotificationID(high: half($0), low: half($0 + 8)) }
        return ids.allSatisfy { $0.high >> 12 & 0xF == 7 && $0.low >> 62 == 0b10 } && Set(ids).count == ids.count ? ids : nil
    }

    /// Whether a notification may have this id now.
    static func isUsable(_ id: NotificationID, now: Timestamp) -> Bool {
        let age = now - id.timestamp
        return age < longestAge && age > .zero - longestLead
    }
}

extension AMQPMessage {
    /// The reserved ids, only of a message whose user may vouch for others (``isVouched(trusted:catalogue:)``). Any other user could give a
    /// notification the id of another.
    func reservedIDs(trusted: String, catalogue: Catalogue) -> [NotificationID]? {
        guard let value = headers[QueueNames.idsHeader], isVouched(trusted: trusted, catalogue: catalogue) else { return nil }
        return ReservedIDs.decode(value)
    }
}

extension DecodedMessage {
    /// Gives each intent its reserved id. Does nothing if the number of ids is not that of the intents: the places then prove nothing.
    mutating func use(_ ids: [NotificationID], now: Timestamp) {
        guard rejections.isEmpty, ids.count == intents.count else { return }
        for (position, id) in ids.enumerated() where ReservedIDs.isUsable(id, now: now) { intents[position].reservedID = id }
    }
}
