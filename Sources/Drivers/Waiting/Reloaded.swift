import Synchronization

/// A value that is made from a source outside of the process, such as files. The value is made again when the source has changed.
///
/// While the value cannot be made, the last good one stays: the source may be half written.
package final class Reloaded<Value: Sendable, Stamp: Equatable & Sendable>: Sendable {
    /// The result of a look at the source.
    package enum Look: Sendable {
        /// The source has not changed.
        case same
        /// The value was made again.
        case renewed
        /// The value cannot be made. The last good value stays, if there is one.
        case failed(any Error)
    }

    private struct State {
        var current: Result<Value, any Error>
        /// The stamp of the source when the value was made, or could not be made. Nil while a failure is tried again by each look.
        var stamp: Stamp?
        var lookedAt: ContinuousClock.Instant
        /// The end of the look that is under way. Nil while there is none. There is never more than one.
        var looking: OneShot<Void>?

        /// Notes a value that was made, or an error. Nil if the source has not changed.
        mutating func note(_ made: Result<Value, any Error>?, of found: Stamp, retriesFailures: Bool) -> Look {
            guard let made else { return .same }
            switch made {
            case .success:
                (current, stamp) = (made, found)
                return .renewed
            case .failure(let error):
                if !retriesFailures { stamp = found }
                if case .failure = current { current = made }
                return .failed(error)
            }
        }
    }

    /// The shortest time between two looks.
    package let interval: Duration
    private let retriesFailures: Bool
    private let now: @Sendable () -> ContinuousClock.Instant
    private let stamp: @Sendable () -> Stamp
    private let make: @Sendable () throws -> Value
    private let state: Mutex<State>

    /// Makes the first value.
    ///
    /// - Parameters:
    ///   - retriesFailures: whether each look tries again to make a value that could not be made. If false, a look tries again only when
    ///     the source has changed.
    ///   - now: the clock that measures ``interval``.
    ///   - stamp: reads the properties of the source by which a change is noticed.
    ///   - make: reads the source and makes the value.
    package init(
        every interval: Duration, retriesFailures: Bool = false, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        stamp: @escaping @Sendable () -> Stamp, make: @escaping @Sendable () throws -> Value
    ) {
        self.interval = interval
        self.retriesFailures = retriesFailures
        self.now = now
        self.stamp = stamp
        self.make = make
        // Read the stamp before making the value: the next look then notices a change between the two.
        let first = stamp()
        let current = Result(catching: make)
        let isRetried = if case .failure = current { retriesFailures } else { false }
        state = Mutex(State(current: current, stamp: isRetried ? nil : first, lookedAt: now()))
    }

    /// The last good value. If no value was good, the error of the last look.
    package var current: Result<Value, any Error> { state.withLock(\.current) }

    /// Begins a look if one is due. Returns true if the caller must call ``look()``, at a place that a slow source may block.
    package func beginsLook() -> Bool {
        let now = now()
        return state.withLock { state in
            guard state.looking == nil, now - state.lookedAt >= interval else { return false }
            (state.looking, state.lookedAt) = (OneShot<Void>(), now)
            return true
        }
    }

    /// Looks at the source, and makes the value again if the source has changed. Blocks as long as the source does.
    package func look() -> Look {
        let found = stamp()
        let isSame = state.withLock { $0.stamp == found }
        let made: Result<Value, any Error>? = isSame ? nil : Result(catching: make)
        let (look, end) = state.withLock { state -> (Look, OneShot<Void>?) in
            defer { state.looking = nil }
            return (state.note(made, of: found, retriesFailures: retriesFailures), state.looking)
        }
        end?.set(())
        return look
    }

    /// Returns when the look that is under way has ended.
    package func looked() async {
        await state.withLock(\.looking)?.value()
    }
}
