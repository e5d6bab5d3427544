import Synchronization

/// Places in the line of a provider's rate, taken for a batch before it is claimed: one for each of its calls, in the order in which they ask.
///
/// A place that its call does not use passes by, as time does for a quiet provider. Only places that nobody will come for are given back, as soon as
/// that is known.
package final class RatePlaces: Sendable {
    /// A place whose time has passed for longer is not used: after an outage all of them would be used at once.
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

    /// Until the first place; less than zero if its time has come.
    package var wait: Duration { takenAt + places.first - .now }

    /// The time of the caller's place; nil without one.
    package func next() -> ContinuousClock.Instant? {
        let number = taken.add(1, ordering: .relaxed).oldValue
        guard number < count.load(ordering: .relaxed) else { return nil }
        // Tokens of a quiet while were there before they were taken.
        return max(takenAt + places.first + places.interval * number, takenAt)
    }

    /// Whether a call that begins now still keeps to the place.
    package static func isFresh(_ place: ContinuousClock.Instant) -> Bool { .now - place < freshness }

    /// Gives back what is beyond so many calls. Before the first of them asks, and once.
    package func keep(only calls: Int) {
        let before = count.load(ordering: .relaxed)
        guard calls < before else { return }
        count.store(calls, ordering: .relaxed)
        gate.giveBack(before - calls, of: places)
    }
}
