#if TIDINGS_FAULT_HOOKS
    import Glibc
    import Synchronization
#endif

/// A place on the data path where a process may die between two effects. Tests kill the process there and check the fate of every delivery.
package enum FaultStep: String, Sendable, CaseIterable {
    /// A router holds a batch of intents. Nothing of it is committed.
    case beforeRoute
    /// The outcome of the batch is committed. Its messages are not acknowledged.
    case afterRoute
    /// The messages are acknowledged. The packs are committed and not published.
    case afterIntakeAck
    /// Committed packs are about to go to the broker.
    case beforePublish
    /// The broker confirmed the packs. Their rows do not record it yet.
    case afterPublish
    /// The confirms are committed.
    case afterConfirm
    /// A worker holds packs that no worker has claimed.
    case beforeClaim
    /// The claim is committed. No byte has left for a provider.
    case afterClaim
    /// A delivery may be sent now. Other deliveries of its pack may be sent already.
    case beforeSend
    /// The provider answered. The answer is not recorded.
    case afterSend
    /// Outcomes wait for their commit. Other deliveries of their packs may still be under way.
    case beforeSettle
    /// Outcomes are committed. The packs may be half settled, and their messages are not acknowledged.
    case afterSettle
    /// The outcomes of a batch of packs are committed. Its messages are not acknowledged.
    case beforeAck
    /// The messages of packs are acknowledged.
    case afterAck
    /// Deliveries are taken out of `due` in a transaction that is not committed.
    case beforeRelease
    /// The deliveries are in packs. The packs are committed and not published.
    case afterRelease
    /// Packs of a dead worker are taken apart in a transaction that is not committed.
    case beforeRecover
    /// The deliveries of the dead worker are in `due`, or have ended.
    case afterRecover
}

/// Marks that the process reaches a step. `subject` names the person concerned, where tests need it. Compiled to nothing unless
/// TIDINGS_FAULT_HOOKS is defined. Debug builds, which the tests run, define it.
///
/// In such a build the variable `TIDINGS_FAULT_AT` names the step at which the process kills itself. The end is like `kill -9`: without a
/// destructor and without a flush.
///
/// - `afterSend`: the first time that the process reaches the step
/// - `afterSend:3`: the third time
/// - `beforeSend=ann`: the first time with the subject `ann`
///
/// With `TIDINGS_FAULT_SIGNAL=STOP` the process stops itself instead, until SIGCONT arrives.
func reach(_ step: FaultStep, _ subject: @autoclosure () -> String = "") {
    #if TIDINGS_FAULT_HOOKS
        FaultOrder.ofThisProcess?.follow(at: step, subject)
    #endif
}

#if TIDINGS_FAULT_HOOKS
    /// The step at which this process is to die.
    final class FaultOrder: Sendable {
        static let ofThisProcess = getenv("TIDINGS_FAULT_AT").flatMap { FaultOrder(String(cString: $0)) }

        private let step: FaultStep
        private let subject: String?
        private let passesLeft: Atomic<Int>
        private let signal = getenv("TIDINGS_FAULT_SIGNAL").map { String(cString: $0) } == "STOP" ? SIGSTOP : SIGKILL

        private init?(_ text: String) {
            let name = text.prefix { $0 != ":" && $0 != "=" }
            guard let step = FaultStep(rawValue: String(name)) else { return nil }
            let rest = text.dropFirst(name.count)
            self.step = step
            subject = rest.first == "=" ? String(rest.dropFirst()) : nil
            passesLeft = Atomic(rest.first == ":" ? Int(rest.dropFirst()) ?? 1 : 1)
        }

        func follow(at step: FaultStep, _ subject: () -> String) {
            guard step == self.step, self.subject == nil || self.subject == subject() else { return }
            let left = passesLeft.subtract(1, ordering: .relaxed).newValue
            // A stopped process continues later, so it must stop only once. A killed process never gets here again.
            guard signal == SIGSTOP ? left == 0 : left <= 0 else { return }
            // Signal this thread. Another thread might take a SIGSTOP to the process, and this thread would continue until then.
            raise(signal)
        }
    }
#endif
