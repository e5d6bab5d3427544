import TidingsEncodings

/// The part of a list that an app asks for.
package enum LikesRequest: Sendable, Hashable {
    /// The newest likes.
    case latest
    /// The likes older than the last one of an earlier page.
    case older(than: LikesCursor)
    /// The likes newer than that of this liker, which the app has.
    case newer(than: String)

    /// Reads the parameters of a request. An empty cursor asks for the newest likes.
    package init(cursor: String?, sinceID: String?) throws(Problem) {
        switch (cursor, sinceID) {
        case (nil, nil): self = .latest
        case (nil, let liker?): self = .newer(than: liker)
        case (_?, _?): throw .cursorWithSinceID
        case ("", nil): self = .latest
        case (let text?, nil):
            guard let cursor = LikesCursor(text) else { throw .malformedCursor }
            self = .older(than: cursor)
        }
    }

    /// The reason why the parameters of a request make no sense.
    package enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        case cursorWithSinceID
        case malformedCursor

        package var description: String {
            switch self {
            case .cursorWithSinceID: "cursor and since_id exclude each other: cursor asks for older likes, since_id for newer ones"
            case .malformedCursor: "the cursor is none that a list has given: send the next_cursor of the last page, unchanged"
            }
        }
    }
}

/// A place in the list of one person. Apps get it as a text and send it back unchanged.
///
/// The text holds a position, which means nothing to anybody but the person whose list it is. So it needs no signature: another position
/// only leads to another place of the same list.
package struct LikesCursor: Sendable, Hashable, CustomStringConvertible {
    /// Likes with a smaller position come next.
    let position: Int64

    init(position: Int64) { self.position = position }

    /// The first byte of a cursor, so that a later form can be told from this one.
    private static let form: UInt8 = 1

    /// Returns nil for a text that is no cursor.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 9, bytes[0] == Self.form else { return nil }
        let position = bytes.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard position <= Int64.max else { return nil }
        self.position = Int64(position)
    }

    package var description: String {
        let bits = UInt64(position)
        return Base64URL.encode([Self.form] + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
    }
}
