#if TIDINGS_FAULT_HOOKS
    import Glibc
    import Synchronization
#endif

/// A place on the data path where a process may die between two effects. Tests kill it there and look at what became of everything.
package enum FaultStep: String, Sendable, CaseIterable {
    /// A router holds a batch of intents; nothing of it is committed.
    case beforeRoute
    /// All that follows from the batch is committed; its messages are not acknowledged.
    case afterRoute
    /// The messages are acknowledged; the packs are committed and not published.
    case afterIntakeAck
    /// Committed packs are about to go to the broker.
    case beforePublish
    /// The broker confirmed packs; their rows do not say so.
    case afterPublish
    /// The confirms are committed.
    case afterConfirm
    /// A worker holds packs that nobody claimed.
    case beforeClaim
    /// The claim is committed; no byte left for anybody.
    case afterClaim
    /// A delivery may be sent now; others of its pack may be out already.
    case beforeSend
    /// The provider answered; nothing says so.
    case afterSend
    /// Outcomes wait for their commit; others of their packs may still be out.
    case beforeSettle
    /// Outcomes are committed; the packs may be half settled, their messages are not acknowledged.
    case afterSettle
    /// Whatever a batch of packs came to is committed; its messages are not acknowledged.
    case beforeAck
    /// The messages of packs are acknowledged.
    case afterAck
    /// Deliveries are taken out of `due` in a transaction that is not committed.
    case beforeRelease
    /// They are in packs, committed and not published.
    case afterRelease
    /// Packs of a dead worker are taken apart in a transaction that is not committed.
    case beforeRecover
    /// Their deliveries are in `due`, or have ended.
    case afterRecover
}

/// Marks that the process reaches a step, for whom or what by `subject` where that matters. Compiled to nothing unless TIDINGS_FAULT_HOOKS is
/// defined: debug builds, which the tests run, define it.
///
/// There the variable `TIDINGS_FAULT_AT` names where the process kills itself as `kill -9` does, without a destructor or a flush:
/// `afterSend`, `afterSend:3` for the third time it gets there, `beforeSend=ann` for the first time that is about `ann`. With
/// `TIDINGS_FAULT_SIGNAL=STOP` it stops itself there instead, until somebody sends SIGCONT.
func passing(_ step: FaultStep, _ subject: @autoclosure () -> String = "") {
    #if TIDINGS_FAULT_HOOKS
        FaultOrder.ofThisProcess?.follow(at: step, subject)
    #endif
}

#if TIDINGS_FAULT_HOOKS
    /// Where this process is to die.
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
            // A process that was stopped goes on; one that was killed passes here no more.
            guard signal == SIGSTOP ? left == 0 : left <= 0 else { return }
            // To this thread: a SIGSTOP to the process may be taken by another one, and this one would go on until then.
            raise(signal)
        }
    }
#endif
