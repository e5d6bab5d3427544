import TidingsCore
import TidingsEncodings
import TidingsPostgres

/// A page of a person's inbox with the counts, all of one moment.
public struct InboxPage: Sendable, Hashable {
    public let items: [InboxItem]
    public let counts: InboxCounts
    /// The number of snoozed entries.
    public let snoozed: Int
    /// The newest position that the inbox has given, 0 if there is none. An event stream can go on from here.
    public let position: Int64
    /// The place where the next page begins. Nil on the last page, and for a page by offset.
    public let next: InboxCursor?
    /// Whether the person has devices and denied notifications on all of them.
    public let deniesNotifications: Bool

    /// The entries that a page shows.
    public enum Listing: Sendable, Hashable {
        /// The entries that have arrived, the last arrival first.
        case arrived
        /// Snoozed entries, the soonest end first.
        case snoozed
    }

    /// The beginning of a page.
    public enum Start: Sendable, Hashable {
        /// After this number of entries. An entry that arrives meanwhile shifts later pages by one.
        case offset(Int)
        /// After an entry. Nil begins with the first entry. Pages of arrived entries never repeat or skip an entry, whatever arrives
        /// meanwhile.
        case cursor(InboxCursor?)
    }
}

/// A place in a listing: after one entry. The entry may be gone.
///
/// The text is opaque for clients: base64url of a version byte and the numbers that order the listing, 8 bytes each. Version 1 was the id of
/// an entry, which is no place in the order of arrival.
public struct InboxCursor: Sendable, Hashable {
    /// The end of the snooze. Nil for an entry that has arrived.
    let snoozedUntil: Timestamp?
    let position: Int64

    private static let arrivedVersion: UInt8 = 2
    private static let snoozedVersion: UInt8 = 3

    init(after last: InboxItem, in listing: InboxPage.Listing) {
        snoozedUntil = listing == .snoozed ? last.snoozedUntil : nil
        position = last.position
    }

    /// - Throws: ``Malformed`` for a text that is not a cursor of this listing and version.
    public init(_ text: String, in listing: InboxPage.Listing) throws(Malformed) {
        // The length is checked first: a client may send any text.
        guard text.utf8.count <= Self.longestText, let bytes = Base64URL.decode(text) else { throw Malformed() }
        func number(_ range: Range<Int>) throws(Malformed) -> Int64 {
            guard let number = Int64(exactly: bytes[range].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) else { throw Malformed() }
            return number
        }
        switch listing {
        case .arrived:
            guard bytes.count == 9, bytes[0] == Self.arrivedVersion else { throw Malformed() }
            snoozedUntil = nil
            position = try number(1..<9)
        case .snoozed:
            guard bytes.count == 17, bytes[0] == Self.snoozedVersion else { throw Malformed() }
            // PostgreSQL refuses times beyond its own range, and no snooze ends so late.
            snoozedUntil = min(Timestamp(microseconds: try number(1..<9)), .distantFuture)
            position = try number(9..<17)
        }
    }

    public var text: String {
        var bytes = [snoozedUntil == nil ? Self.arrivedVersion : Self.snoozedVersion]
        for number in [snoozedUntil?.microseconds, position].compactMap(\.self) {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
        }
        return Base64URL.encode(bytes)
    }

    /// Digits for 17 bytes.
    private static let longestText = 23

    /// The error for a text that is not a cursor.
    public struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        public var description: String { "the cursor was not made by this service for this listing: begin with an empty cursor" }
    }
}

// MARK: - SQL

extension InboxPage.Listing {
    /// A condition on the table alias `i`.
    var condition: SQL {
        switch self {
        case .arrived: InboxItem.isListed
        case .snoozed: InboxItem.isSnoozed
        }
    }

    /// The order of the entries of a table alias.
    func order(of alias: SQL) -> SQL {
        switch self {
        case .arrived: "\(alias).position desc"
        case .snoozed: "\(alias).snoozed_until, \(alias).position"
        }
    }
}

extension InboxCursor {
    /// A condition on the table alias `i`: the entry stands after this place.
    var condition: SQL {
        if let snoozedUntil { return "(i.snoozed_until, i.position) > (\(snoozedUntil.timestamptz), \(position))" }
        return "i.position < \(position)"
    }
}
