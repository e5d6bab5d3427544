/// The place of an item in the list: greater is higher. The server orders items by the position of their arrival.
///
/// Without positions, as from a push or from a cache of an earlier version, the id decides: a UUID of version 7 tells when the notification was
/// accepted.
struct ItemPlace: Hashable, Sendable, Comparable {
    /// 0 if it is not known.
    var position: Int64 = 0
    /// Empty for a place below every item.
    var id = ""

    /// Below every item.
    static let bottom = ItemPlace()

    static func < (one: ItemPlace, other: ItemPlace) -> Bool {
        one.position != other.position ? one.position < other.position : one.id < other.id
    }

    /// The place as a bound of “read all” and “clear all”.
    var bound: String { position > 0 ? String(position) : id }
}

extension InboxItem {
    var place: ItemPlace { ItemPlace(position: position, id: id) }
}
