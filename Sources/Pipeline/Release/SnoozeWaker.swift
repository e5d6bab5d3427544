public import Logging
public import TidingsStore

/// Ends snoozes: entries whose time has come arrive anew, and the streams of their people are told. Any number of processes may run it.
///
/// It runs apart from ``Upkeep``, whose round may take minutes, because people wait for these entries.
public struct SnoozeWaker: Sendable {
    /// The time between two looks for snoozes that are over.
    package static let interval = Duration.seconds(5)

    private let store: Store
    private let signals: InboxSignals
    private let logger: Logger

    public init(store: Store, signals: InboxSignals, logger: Logger) {
        self.store = store
        self.signals = signals
        self.logger = logger
    }

    /// Runs until the task is cancelled.
    public func run() async {
        var reminder = Reminder()
        while !Task.isCancelled {
            do {
                while !Task.isCancelled, let woken = try await store.inbox.wakeSnoozed() { signals.announce(woken) }
                reminder = Reminder()
            } catch {
                logger.cannot("wake snoozed entries", error, isDue: reminder.isDue())
            }
            // Only time has to pass. The stop cancels the sleep.
            try? await Task.sleep(for: Self.interval)
        }
    }
}
