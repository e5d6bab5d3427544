/// The steps of an erasure, in order. Each is repeated in small transactions until it finds nothing more.
public enum ErasureStep: String, Sendable, CaseIterable {
    /// Waits for every transaction that began before the tombstone was visible: it may still write something of the person.
    case transactions
    /// Finds the notifications of other people that name the person.
    case mentions
    /// Ends the deliveries that wait, and deletes the notifications with everything about them. Waits for calls that are under way.
    case notifications
    /// Deletes the devices of the person with their plans. Waits for wakes that are under way.
    case devices
    /// Deletes the rows with the person in a column.
    case rows
    /// Deletes the events that `tidings_api.enqueue` took and no relay has published.
    case enqueued
    /// Takes the person out of refused events.
    case refused
    /// Takes the person out of dead letters.
    case dead

    /// Nil after the last one.
    var next: ErasureStep? {
        let all = Self.allCases
        return all.firstIndex(of: self).flatMap { $0 + 1 < all.count ? all[$0 + 1] : nil }
    }
}
