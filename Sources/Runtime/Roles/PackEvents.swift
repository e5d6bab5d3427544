import Logging
import TidingsCore
import TidingsPipeline

extension Logger {
    /// Logs whether the confirms of packs can be recorded.
    func record(_ event: ConfirmEvent) {
        switch event {
        case .failing(let error): warning("cannot note which packs are confirmed, trying again", metadata: ["error": "\(error)"])
        case .recovered(let packs, let dropped):
            notice("noted which packs are confirmed", metadata: ["packs": "\(packs)", "dropped": "\(dropped)"])
        }
    }

    /// Logs the begin and the end of a time in which the broker refuses packs.
    func record(_ event: RefusalEvent) {
        switch event {
        case .began(let lane): warning("the broker refuses packs, publishing them again", metadata: ["lane": "\(lane.rawValue)"])
        case .ended(let phase, let duration):
            notice(
                "the broker takes packs again",
                metadata: [
                    "lane": "\(phase.lane.rawValue)", "refused": "\(phase.refused)", "taken": "\(phase.taken)",
                    "leftToReleaser": "\(phase.left)", "milliseconds": .stringConvertible(Int(duration / .milliseconds(1))),
                ])
        }
    }
}
