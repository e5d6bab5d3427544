import TidingsJSON

/// One thing that `tidings doctor` or `tidings status` looked at, and how it stands.
struct Finding: Sendable, Hashable {
    enum Level: Int, Sendable, Comparable, CaseIterable {
        case ok
        /// An operator wants it so, or it could not be looked at.
        case note
        /// A look is due, and everything works. Exit code 0.
        case warning
        /// Something does not work. Exit code 1.
        case error

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        var word: String { "\(self)" }

        var symbol: String {
            switch self {
            case .ok: "✓"
            case .note: "·"
            case .warning: "!"
            case .error: "✗"
            }
        }
    }

    /// Every finding that is not ok has one of these, for scripts and for the table in README.md.
    enum Code: String, Sendable, CaseIterable {
        case zoneDataMissing, databaseFailed, schemaNewer, readOnly, fsyncOff, fullPageWritesOff, commitNotSynchronous,
            standbysAsynchronous, standbyMissing
        case checksumsOff, notPermitted
        case catalogueProblems, secretsMissingHere, brokerFailed, brokerDiffers, notCompared, noBroker
        case noRunningRouter, noRunningDeliver, noRunningRelease, workerLost
        case noConsumer, queueWithoutConsumer, notSampled, samplesStale, queueGrows
        case enqueuedWaits, overdue, providerSaturated, breakerOpen, rejectedOpen, deadOpen, unaccounted, paused
    }

    /// The subject: `workers`, `broker`, …
    let check: String
    let level: Level
    /// Nil when the level is ok.
    let code: Code?
    /// The finding, without a full stop: it stands in sentences.
    let words: String
    /// Empty where nothing is to be done.
    let whatToDo: String

    static func ok(_ check: String, _ words: String) -> Finding {
        Finding(check: check, level: .ok, code: nil, words: words, whatToDo: "")
    }

    init(check: String, level: Level, code: Code?, words: String, whatToDo: String) {
        self.check = check
        self.level = level
        self.code = code
        self.words = words
        self.whatToDo = whatToDo
    }

    init(_ check: String, _ level: Level, _ code: Code, _ words: String, whatToDo: String = "") {
        self.init(check: check, level: level, code: code, words: words, whatToDo: whatToDo)
    }

    /// For people: a line, and what to do on a second one.
    var text: String {
        let line = "\(level.symbol) \(check): \(Table.plain(.string(words)))"
        return level == .ok || whatToDo.isEmpty ? line : line + "\n    \(Table.plain(.string(whatToDo)))"
    }

    /// As `tidings status` lists its problems.
    var json: JSON {
        [
            "check": .string(check), "code": code.map { .string($0.rawValue) } ?? .null, "level": .string(level.word),
            "words": .string(words), "what_to_do": .string(whatToDo),
        ]
    }
}
