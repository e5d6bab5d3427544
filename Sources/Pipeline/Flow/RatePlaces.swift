import Synchronization

/// Places in the queue for a provider's rate, reserved for a batch before it is claimed. There is one place for each call of the batch, in
/// the order in which the calls ask.
///
/// A place that its call does not use expires, like time for a quiet provider. Only places that no call will use are returned, as soon as
/// that is known.
package final class RatePlaces: Sendable {
    /// The age from which a place is not used any more. After an outage, all old places would otherwise be used at once.
    private static let freshness = Duration.seconds(1)

    private let places: SendRoom.Places
    private let gate: SendGate
    private let takenAt = ContinuousClock.now
    private let taken = Atomic(0)
    private let count: Atomic<Int>

    init(_ places: SendRoom.Places, of gate: SendGate) {
        self.places = places
        self.gate = gate
        count = Atomic(places.count)
    }

    /// The time until the first place. Less than zero if its time has come.
    package var wait: Duration { takenAt + places.first - .now }

    /// The time of the caller's place. Nil if there is none left.
    package func next() -> ContinuousClock.Instant? {
        let number = taken.add(1, ordering: .relaxed).oldValue
        guard number < count.load(ordering: .relaxed) else { return nil }
        // A quiet provider has tokens from before the reservation. Their places are not before it.
        return max(takenAt + places.first + places.interval * number, takenAt)
    }

    /// Whether a call that begins now still keeps the place.
    package static func isFresh(_ place: ContinuousClock.Instant) -> Bool { .now - place < freshness }

    /// Returns the places beyond this number of calls. It must run once, before the first call asks for its place.
    package func keep(only calls: Int) {
        let before = count.load(ordering: .relaxed)
        guard calls < before else { return }
        count.store(calls, ordering: .relaxed)
        gate.giveBack(before - calls, of: places)
    }
}
