import TidingsCore
import TidingsEncodings

/// A page of a person's inbox, the newest id first, with the counts at the same moment.
public struct InboxPage: Sendable, Hashable {
    public let items: [InboxItem]
    public let counts: InboxCounts
    /// The place where the next page begins. Nil on the last page, and for a page by offset.
    public let next: InboxCursor?

    /// The beginning of a page.
    public enum Start: Sendable, Hashable {
        /// After this number of entries. An entry that arrives meanwhile shifts later pages by one.
        case offset(Int)
        /// After an entry. Nil begins with the newest entry. Pages never repeat or skip an entry, whatever arrives meanwhile.
        case cursor(InboxCursor?)
    }
}

/// A place in a listing: after one entry. The entry may be gone.
///
/// The text is opaque for clients: base64url of a version byte and the 16 bytes of the id.
public struct InboxCursor: Sendable, Hashable {
    let last: NotificationID

    private static let version: UInt8 = 1

    init(after last: NotificationID) { self.last = last }

    /// - Throws: ``Malformed`` for a text that is not a cursor of this version.
    public init(_ text: String) throws(Malformed) {
        // The length is checked first: a client may send any text.
        guard text.utf8.count <= Self.longestText, let bytes = Base64URL.decode(text), bytes.count == 17, bytes[0] == Self.version else {
            throw Malformed()
        }
        func half(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        last = NotificationID(high: half(1..<9), low: half(9..<17))
    }

    public var text: String {
        var bytes = [Self.version]
        for half in [last.high, last.low] {
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: half >> UInt64(shift))) }
        }
        return Base64URL.encode(bytes)
    }

    /// Digits for 17 bytes.
    private static let longestText = 23

    /// The error for a text that is not a cursor.
    public struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        public var description: String { "the cursor was not made by this service: begin with an empty cursor" }
    }
}
