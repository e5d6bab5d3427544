import Testing

/// Words that do not belong into what ships.
@Suite struct WordTests {
    @Test(arguments: [
        Banned("fatalError(", "throw, or state with preconditionFailure what the caller did wrong"),
        Banned("try!", "handle the error"),
        Banned("as!", "cast conditionally"),
        Banned("print(", "data goes through Output, everything else through the log"),
        Banned("TODO", "do it, or write an issue"),
        Banned("FIXME", "fix it, or write an issue"),
        Banned("Thread.sleep", "no thread of the cooperative pool may block"),
    ])
    func sourcesAreFreeOf(_ banned: Banned) throws {
        for file in try Repository.files(below: "Sources") {
            for (index, line) in file.lines.enumerated() where banned.isIn(line) {
                Issue.record("\(file.place(index)) has \(banned.word): \(banned.instead)")
            }
        }
    }

    /// The files with a function `take`, each with the thing that it takes.
    private static let takers = [
        "Sources/Clients/Inbox/Likes/LikesStore.swift": "an answer of the server",
        "Sources/Clients/Inbox/Store/InboxList.swift": "an entry out of a list",
        "Sources/Clients/Inbox/Stream/ServerSentEvents.swift": "the next part of a text",
        "Sources/Contracts/Devices/LocaleName.swift": "the next part of a text",
        "Sources/Core/Delivery/TokenBucket.swift": "tokens out of a bucket, which is the word of the field",
        "Sources/Core/Words/StableHash.swift": "the next byte of a text",
        "Sources/Formats/Encodings/MediaType.swift": "the next character of a text",
        "Sources/Formats/JSON/JSONParser.swift": "the next byte of a text",
        "Sources/Formats/JSON/LenientReader.swift": "the next byte of a text",
        "Sources/Formats/JSONSchema/Formats/DateFormat.swift": "the next character of a text",
        "Sources/Formats/JSONSchema/Patterns/PatternParser.swift": "the next character of a text",
        "Sources/Formats/TimeZones/RuleReader.swift": "the next character of a text",
        "Sources/Interfaces/Commands/Reconcile/ReconcileCommand.swift": "the next records of a file",
        "Sources/Pipeline/Intake/Decoding/EventAttributes.swift": "the next member of an object",
        "Sources/Pipeline/Intake/Decoding/EventClaims.swift": "the next attribute of an event",
        "Sources/Store/Due/Store+Recover.swift": "packs away from dead workers",
        "Sources/Store/Due/Store+Release.swift": "rows out of `due`",
        "Sources/Store/Outbox/UnclaimedPacks.swift": "packs that no worker claims",
        "Sources/Store/Recipients/Store+Devices.swift": "a token away from another device",
        "Sources/TestSupport/SchemaDump.swift": "the next name of a text",
    ]

    /// `take` has five more meanings, and each has a verb of its own.
    @Test func aFunctionThatTakesHasNoOtherVerb() throws {
        var found: Set<String> = []
        for file in try Repository.files(below: "Sources") {
            for (index, line) in file.code where line.contains("func take(") || line.contains("func take<") {
                found.insert(file.path)
                #expect(
                    Self.takers[file.path] != nil,
                    """
                    \(file.place(index)) takes: write receive (from outside), claim (with a lease), reserve (a place), dequeue (from memory) or \
                    count, or name in `takers` the thing that it takes
                    """)
            }
        }
        for path in Self.takers.keys where !found.contains(path) {
            Issue.record("\(path) has no function take any more: remove it from the list")
        }
    }

    /// Names that a reader understands only with the body of the function.
    @Test(arguments: [
        Banned("passing", "reach, for a step"), Banned("patiently", "retrying"), Banned("saw", "note, with the noted thing"),
        Banned("learn", "note, with the noted thing"), Banned("heal", "look for, or repair, with its object"),
        Banned("letGo", "send, drop or release"),
    ])
    func noFunctionHasTheName(_ banned: Banned) throws {
        for file in try Repository.files(below: "Sources") {
            for (index, line) in file.code where line.contains("func \(banned.word)(") || line.contains("func \(banned.word)<") {
                Issue.record("\(file.place(index)) has the function \(banned.word): \(banned.instead)")
            }
        }
    }

    @Test func unsafeSharingGivesItsReason() throws {
        for file in try Repository.files(below: "Sources") {
            for (index, line) in file.code where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                let before = index > 0 ? file.lines[index - 1] : ""
                #expect(
                    line.contains("//") || before.contains("//"),
                    "\(file.place(index)) shares without the compiler's check: say beside it why that is right")
            }
        }
    }

    @Test func foldersAreNamedForConcepts() throws {
        let kinds: Set = ["Models", "Utils", "Utilities", "Helpers", "Common", "Misc", "New", "Extensions"]
        for file in try Repository.files(below: "Sources") + Repository.files(below: "Tests") {
            let folders = Set(file.path.split(separator: "/").dropLast().map(String.init))
            #expect(folders.isDisjoint(with: kinds), "\(file.path) lies in a folder named for a kind")
        }
    }

    @Test func aWordInsideAnotherIsNotFound() {
        let print = Banned("print(", "")
        #expect(print.isIn("    print(1)"))
        #expect(!print.isIn("    explanation.print(as: format)"))
        #expect(!print.isIn("    static func print(_ catalogue: Catalogue)"))
        #expect(!print.isIn("    blueprint(1)"))
    }
}

/// A word with what to write instead.
struct Banned: Sendable, CustomTestStringConvertible {
    let word: String
    let instead: String

    init(_ word: String, _ instead: String) {
        self.word = word
        self.instead = instead
    }

    var testDescription: String { word }

    /// Whether the line has it as a word of its own: no member of that name, and no declaration of one.
    func isIn(_ line: String) -> Bool {
        var rest = line[...]
        while let range = rest.firstRange(of: word) {
            let before = line[..<range.lowerBound]
            let joins = before.last.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." } ?? false
            if !joins, !before.hasSuffix("func ") { return true }
            rest = rest[range.upperBound...]
        }
        return false
    }
}
