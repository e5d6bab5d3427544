package import TidingsAMQP
import TidingsContracts

/// Publishes to a quorum queue, and says whether the broker confirms. A confirm means that a majority of the queue's nodes has the message. The
/// queue is ``QueueNames/doctorQueue``, and keeps nothing.
///
/// A broker without a majority, or with an alarm, accepts connections and answers every question. An alarm blocks only a connection that
/// publishes: the broker reads the first message, and then nothing more. So the second message is answered only if no alarm is on.
package enum PublishTrial {
    package enum Result: Sendable, Hashable {
        case confirmed
        /// The broker takes messages. It is not known whether it confirms any, because the message reached no queue.
        case notProven(reason: String)
        /// The reason is the broker's own, such as `low on memory`.
        case blocked(reason: String)
        /// The broker neither answered nor told of an alarm.
        case silent
        /// The broker refused each message until ``patience`` ended.
        case refused
        case failed(AMQPError)
    }

    /// The longest wait for the answers. A broker that is well answers within milliseconds. The election of a leader takes some seconds.
    package static let patience = Duration.seconds(10)
    /// The pause before a message that was refused is published again.
    private static let pause = Duration.milliseconds(200)
    /// The time for which the queue keeps a message.
    private static let expiration = Duration.seconds(1)

    private enum Event: Sendable {
        case published(Result)
        /// Nil: the broker told of no alarm before its answers.
        case alarm(String?)
        case late
    }

    package static func run(_ configuration: AMQPConfiguration, within patience: Duration = patience) async -> Result {
        let (alarms, alarm) = AsyncStream.makeStream(of: String.self)
        let publisher: AMQPPublisher
        do throws(AMQPError) {
            publisher = try AMQPPublisher.make(
                configuration: configuration, connectionName: "tidings doctor publishes", maximumRepublishes: 0,
                log: { if case .blocked(let reason) = $0 { alarm.yield(reason) } })
        } catch {
            return .failed(error)
        }
        // A refused message is given up before the wait for a silent broker ends.
        let end = ContinuousClock.now + patience
        let result = await withTaskGroup(of: Event.self) { group -> Result in
            group.addTask { .published(await publishTwice(by: publisher, until: end - pause * 2)) }
            group.addTask { .alarm(await alarms.first { _ in true }) }
            group.addTask {
                // Time itself is awaited. Cancelled when the answers came.
                try? await Task.sleep(until: end, clock: .continuous)
                return .late
            }
            defer { group.cancelAll() }
            var answer = Result.silent
            for await event in group {
                switch event {
                case .published(let result):
                    answer = result
                    alarm.finish()
                case .alarm(let reason?): return .blocked(reason: reason)
                case .alarm(nil): return answer
                case .late: alarm.finish()
                }
            }
            return answer
        }
        await publisher.close()
        return result
    }

    private static func publishTwice(by publisher: AMQPPublisher, until end: ContinuousClock.Instant) async -> Result {
        var result = Result.confirmed
        for number in 1...2 {
            result = await publish(number, by: publisher, until: end)
            switch result {
            case .confirmed, .notProven: continue
            case .blocked, .silent, .refused, .failed: return result
            }
        }
        return result
    }

    private static func publish(_ number: Int, by publisher: AMQPPublisher, until end: ContinuousClock.Instant) async -> Result {
        let message = OutgoingMessage(
            exchange: QueueNames.deliverExchange, routingKey: QueueNames.doctorQueue, body: [0], messageID: "doctor-\(number)",
            expirationMilliseconds: Int(expiration / .milliseconds(1)))
        while true {
            switch await publisher.publish([message])[0] {
            case .confirmed: return .confirmed
            // A user who may not publish there is refused only after the broker has read the message, so an alarm comes first.
            case .failed(.channelClosed(code: 403, _)):
                return .notProven(reason: "this user may not publish to \(QueueNames.deliverExchange)")
            case .returned, .failed(.channelClosed(code: 404, _)):
                return .notProven(reason: "\(QueueNames.deliverExchange) does not lead to a queue \(QueueNames.doctorQueue)")
            case .failed(let error): return .failed(error)
            case .nacked: if ContinuousClock.now + pause >= end { return .refused }
            }
            // The next leader of the queue may take the message. The end of the trial cancels the sleep.
            try? await Task.sleep(for: pause)
        }
    }
}
