package import TidingsJSON

/// One result of a check of `tidings doctor` or `tidings status`.
package struct Finding: Sendable, Hashable {
    package enum Level: Int, Sendable, Comparable, CaseIterable {
        case ok
        /// An operator wants it so, or the check was not possible.
        case note
        /// Everything works, but an operator should look. Exit code 0.
        case warning
        /// Something does not work. Exit code 1.
        case error

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        package var word: String { "\(self)" }

        package var symbol: String {
            switch self {
            case .ok: "✓"
            case .note: "·"
            case .warning: "!"
            case .error: "✗"
            }
        }
    }

    /// The code of a finding that is not ok, for scripts and for the table in Incidents.md.
    package enum Code: String, Sendable, CaseIterable {
        case zoneDataMissing, zoneNamesMissing
        case serverUnproven
        case databaseFailed, databaseNotUTF8, databaseTooOld, stringsNotStandard, jitOn, roleMissing, rightsMissing, broadLogin
        case schemaNewer, readOnly, fsyncOff, fullPageWritesOff, commitNotSynchronous, standbysAsynchronous, standbyMissing
        case checksumsOff, notPermitted
        case catalogueProblems, tenantsUnguarded, secretsMissingHere, brokerFailed, brokerTooOld, brokerBlocks, brokerDiffers,
            notCompared, notPublished, noBroker
        case commitsRefused, commitsWait, brokerConfirmsNothing, brokerRefuses, packsUnconfirmed, intentsUnfinished, publisherNotBelieved
        case noRunningRouter, noRunningDeliver, noRunningRelease, noRunningAPI, workerLost
        case noConsumer, queueWithoutConsumer, queueLeftOver, notSampled, samplesStale, queueGrows
        case enqueuedWaits, overdue, providerSaturated, breakerOpen, deliveriesFail, rejectedOpen, deadOpen, unaccounted, failover, paused
        case oldTimeline, timelineUnreadable, timelineUnverified
    }

    /// The subject: `workers`, `broker`, …
    package let check: String
    package let level: Level
    /// Nil if the level is ok.
    package let code: Code?
    /// The finding in words, without a full stop, because the words stand in sentences.
    package let words: String
    /// Empty if nothing is to be done.
    package let whatToDo: String

    package static func ok(_ check: String, _ words: String) -> Finding {
        Finding(check: check, level: .ok, code: nil, words: words, whatToDo: "")
    }

    package init(check: String, level: Level, code: Code?, words: String, whatToDo: String) {
        self.check = check
        self.level = level
        self.code = code
        self.words = words
        self.whatToDo = whatToDo
    }

    package init(_ check: String, _ level: Level, _ code: Code, _ words: String, whatToDo: String = "") {
        self.init(check: check, level: level, code: code, words: words, whatToDo: whatToDo)
    }

    /// The finding for people: a line, and on a second line the advice.
    package var text: String {
        let line = "\(level.symbol) \(check): \(Table.plain(.string(words)))"
        return level == .ok || whatToDo.isEmpty ? line : line + "\n    \(Table.plain(.string(whatToDo)))"
    }

    /// The object in the list of problems that `tidings status` prints.
    package var json: JSON {
        [
            "check": .string(check), "code": code.map { .string($0.rawValue) } ?? .null, "level": .string(level.word),
            "words": .string(words), "what_to_do": .string(whatToDo),
        ]
    }
}
