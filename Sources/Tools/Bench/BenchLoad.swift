import TidingsClient
import TidingsCommands
import TidingsCore
import TidingsServer
import TidingsStore
import TidingsWaiting

/// The people among whom the intents of a measurement go round.
struct BenchPeople: Sendable {
    /// Distinguishes these people from those of other measurements.
    let name: String
    let count: Int

    func recipient(of number: Int) -> String { "person-\(name)-\(number % count)" }
}

/// The intents of one measurement. Each goes to a person of its own, so that nothing is cached anywhere, or the intents go round.
struct BenchLoad: Sendable {
    /// Distinguishes the events of this measurement from all others, and its people if it has no ``people``.
    let run: String
    let type: NotificationType
    /// The requested channels; nil leaves the choice to the type.
    let channels: [Channel]?
    /// UTF-8 bytes of the body; nil for an ordinary sentence.
    let bodyBytes: Int?
    /// Events in one message; 1 for a message each.
    let eventsPerMessage: Int
    let intents: Int
    /// Nil: each intent goes to a person of its own.
    var people: BenchPeople?

    /// Messages that are confirmed together. Two such windows are under way: one is sent while the broker confirms the other.
    private static let window = 1_000

    var source: String { "/bench/\(run)" }

    func recipient(of number: Int) -> String { people?.recipient(of: number) ?? "person-\(run)-\(number)" }

    func event(_ number: Int) -> IntentEvent {
        let sentence = "Order \(number) is on its way and arrives tomorrow between 9 and 12."
        return IntentEvent(
            source: source, id: "\(number)", type: type.name, category: type.category, recipients: [recipient(of: number)],
            title: "Your order shipped", body: bodyBytes.map { Self.text(sentence, ofBytes: $0) } ?? sentence,
            data: #"{"orderId":"\#(number)","carrier":"post"}"#, channels: channels)
    }

    private static func text(_ sentence: String, ofBytes count: Int) -> String {
        String(repeating: sentence + " ", count: count / (sentence.utf8.count + 1) + 1).prefix(count).description
    }

    /// Publishes everything as fast as the broker confirms it. Ends early if a publish fails.
    func publishAll(with producer: Producer, ledger: BenchLedger) async {
        let step = Self.window * eventsPerMessage
        await withDiscardingTaskGroup { group in
            let slots = Slots(2)
            for start in stride(from: 0, to: intents, by: step) {
                await slots.reserve()
                guard ledger.failure == nil else { return }
                // The next window is made meanwhile. The slots bound the tasks, and the group awaits all of them.
                group.addTask {
                    await publish(start..<min(start + step, intents), late: .zero, with: producer, ledger: ledger)
                    slots.giveBack()
                }
            }
        }
    }

    /// Publishes at a steady rate, by a schedule. After a stall, the intents that were due meanwhile follow at once.
    /// Their waits count from the time at which they were due. Ends early if a publish fails.
    func publish(perSecond rate: Int, with producer: Producer, ledger: BenchLedger) async {
        let began = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            var offered = 0
            while offered < intents, ledger.failure == nil {
                let elapsed = ContinuousClock.now - began
                let due = min(intents, Int(elapsed / .seconds(1) * Double(rate)) + 1)
                if due > offered {
                    let numbers = offered..<due
                    let late = elapsed - .seconds(1) * (Double(offered) / Double(rate))
                    offered = due
                    // Not awaited: a slow confirm must not slow down the schedule.
                    group.addTask { await publish(numbers, late: late, with: producer, ledger: ledger) }
                }
                // Time itself is awaited: the time of the next intent, but at least a millisecond.
                try? await Task.sleep(until: began + .seconds(1) * max(Double(offered) / Double(rate), elapsed / .seconds(1) + 0.001))
            }
        }
    }

    private func publish(_ numbers: Range<Int>, late: Duration, with producer: Producer, ledger: BenchLedger) async {
        let results = await producer.publish(numbers.map(event), perMessage: eventsPerMessage)
        ledger.note(numbers, results, dueAt: .now - late)
    }
}
