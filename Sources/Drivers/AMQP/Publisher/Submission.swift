/// One call of `publish`: collects the results, and resumes the caller when the last one is known. Each message settles once, and later
/// results are ignored. A submission belongs to the publisher's actor.
final class Submission {
    let id: Int
    private var results: [PublishResult?]
    private var missing: Int
    private var continuation: CheckedContinuation<[PublishResult], Never>?
    /// The time at which a message was settled last. Nil before the first.
    private(set) var settledAt: ContinuousClock.Instant?

    init(id: Int, count: Int, continuation: CheckedContinuation<[PublishResult], Never>) {
        self.id = id
        results = Array(repeating: nil, count: count)
        missing = count
        self.continuation = continuation
    }

    var isDone: Bool { continuation == nil }

    func settle(_ index: Int, _ result: PublishResult) {
        guard !isDone, results[index] == nil else { return }
        results[index] = result
        missing -= 1
        settledAt = .now
        if missing == 0 { finish(.stopped) }
    }

    /// Gives every unsettled message the result `error`, and resumes the caller.
    func finish(_ error: AMQPError) {
        guard let continuation else { return }
        self.continuation = nil
        continuation.resume(returning: results.map { $0 ?? .failed(error) })
    }
}

/// A message of a submission on its way through the publisher.
struct Parcel {
    var message: OutgoingMessage
    var submission: Submission
    var index: Int
    /// The number of connections lost while this message was in flight.
    var losses = 0
    /// Whether the message was in flight when the broker closed a channel. A suspect is sent alone until it is settled, so that the next
    /// refusal identifies the one bad message and does not affect others.
    var isSuspect = false

    func settle(_ result: PublishResult) { submission.settle(index, result) }
}

extension ConfirmWindow.Flight where Entry == Parcel {
    enum Fate {
        case settled(PublishResult)
        case again(Parcel)
    }

    /// The fate of a message whose confirm did not arrive. `isAlone` means that no other message was in flight, so a refusal concerns this
    /// one.
    func fate(after error: AMQPError, isAlone: Bool, maximumRepublishes: Int) -> Fate {
        if let returned { return .settled(.returned(code: returned.code, text: returned.text)) }
        var parcel = entry
        parcel.losses += 1
        if case .channelClosed = error {
            if isAlone { return .settled(.failed(error)) }
            parcel.isSuspect = true
        }
        return parcel.losses <= maximumRepublishes ? .again(parcel) : .settled(.failed(error))
    }
}
