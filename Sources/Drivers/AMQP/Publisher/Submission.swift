/// One call of `publish`: collects the results and resumes the caller when the last is in. Each message settles once;
/// later results are ignored.
/// Lives inside the publisher's actor.
final class Submission {
    let id: Int
    private var results: [PublishResult?]
    private var missing: Int
    private var continuation: CheckedContinuation<[PublishResult], Never>?

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
        if missing == 0 { finish(.stopped) }
    }

    /// Gives every message that is still open `error` and resumes the caller.
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
    /// How often it was in flight when a connection was lost.
    var losses = 0
    /// It was in flight when the broker closed a channel. Until it is cleared it travels alone, so that the next refusal finds the one
    /// message to blame and its neighbours do not suffer for it.
    var isSuspect = false

    func settle(_ result: PublishResult) { submission.settle(index, result) }
}

extension ConfirmWindow.Flight where Entry == Parcel {
    enum Fate {
        case settled(PublishResult)
        case again(Parcel)
    }

    /// What becomes of a message whose confirm did not come. `isAlone`: nothing else was in flight, so a refusal means this one.
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
