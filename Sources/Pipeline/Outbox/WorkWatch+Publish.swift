import TidingsAMQP

extension WorkWatch {
    /// Publishes messages, and watches for their confirms. See ``AMQPPublisher/publish(_:timeout:)``.
    func publish(_ messages: [OutgoingMessage], timeout: Duration? = nil, by publisher: AMQPPublisher) async -> [PublishResult] {
        let work = begin()
        let results = await publisher.publish(messages, timeout: timeout)
        end(work, End(results))
        return results
    }
}

extension WorkWatch.End {
    /// A returned message and a missing permission are answers: the broker works.
    init(_ results: [PublishResult]) {
        var end = Self.finished
        for result in results {
            switch result {
            case .nacked: end = .refused
            case .confirmed, .returned, .failed(.invalidMessage), .failed(.channelClosed): continue
            case .failed: if case .finished = end { end = .unanswered }
            }
        }
        self = end
    }
}
