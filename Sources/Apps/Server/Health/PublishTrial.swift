package import TidingsAMQP

/// Publishes as a producer does, and says whether the broker takes messages. No queue gets a message: the broker returns each one.
///
/// A broker with an alarm accepts connections and answers every question. It blocks only a connection that publishes: it reads the first
/// message, and then nothing more. So the second message is answered only if no alarm is on.
package enum PublishTrial {
    package enum Result: Sendable, Hashable {
        case taken
        /// The reason is the broker's own, such as `low on memory`.
        case blocked(reason: String)
        /// The broker neither answered nor told of an alarm.
        case silent
        case failed(AMQPError)
    }

    /// The longest wait for the answers. A broker that is well answers within milliseconds.
    package static let patience = Duration.seconds(5)

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
        let result = await withTaskGroup(of: Event.self) { group -> Result in
            group.addTask { .published(await publishTwice(by: publisher)) }
            group.addTask { .alarm(await alarms.first { _ in true }) }
            group.addTask {
                // Time itself is awaited. Cancelled when the answers came.
                try? await Task.sleep(for: patience)
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

    private static func publishTwice(by publisher: AMQPPublisher) async -> Result {
        for number in 1...2 {
            let message = OutgoingMessage(exchange: "", routingKey: "tidings.doctor", body: [0], messageID: "doctor-\(number)")
            switch await publisher.publish([message])[0] {
            // A user who may not publish there is refused only after the broker has read the message, so an alarm comes first.
            case .confirmed, .returned, .failed(.channelClosed(code: 403, _)): continue
            case .nacked: return .failed(.timedOut("the broker to take a message"))
            case .failed(let error): return .failed(error)
            }
        }
        return .taken
    }
}
