import Testing

/// Comments are plain: a sentence begins with its noun or its verb, not with a relative clause that the reader has to resolve first.
@Suite struct CommentTests {
    @Test func sentencesBeginWithTheirNoun() throws {
        for (files, expected) in [(try Self.swift(), 5_000), (try Self.sql(), 300)] {
            let sentences = files.flatMap { file in CommentSentence.all(in: file).map { (file.place($0.index), $0.text) } }
            #expect(sentences.count > expected, "the comments are not recognised any more")
            for (place, text) in sentences {
                guard let fix = SentenceBeginning.fix(for: text) else { continue }
                Issue.record("\(place): “\(text)” \(fix)")
            }
        }
    }

    /// Words with so many meanings that a reader has to guess one.
    @Test(arguments: ["stand for", "stands for", "stood for", "standing for"])
    func sentencesHaveNoWordsToGuess(_ words: String) throws {
        for file in try Self.swift() + Self.sql() {
            for sentence in CommentSentence.all(in: file) where sentence.text.lowercased().contains(words) {
                Issue.record("\(file.place(sentence.index)): “\(sentence.text)” Write is, means, encodes, acts as, counts as or replaces.")
            }
        }
    }

    private static func swift() throws -> [SourceFile] {
        try Repository.files(below: "Sources") + Repository.files(below: "Tests") + [Repository.file("Package.swift")]
    }

    private static func sql() throws -> [SourceFile] {
        try ["Store/Schema", "Modules"].flatMap { try Repository.files(below: "Sources/\($0)", type: "sql") }
    }

    @Test(arguments: [
        "What a worker holds is claimed.", "What", "Who calls others may call these as well.", "Whoever waits is woken first.",
        "Whose breaker is open waits.", "Those that failed are tried again.", "Those of dead workers.", "One that kills comes alone.",
        "One who reads it knows.", "Nobody reads the queue.", "Nobody's queue is deleted.", "That which is due is released.",
        "The others are standbys.", "The others of its lane are sent.", "The others: standbys.", "The other is still open.",
        "The other one waits.", "The other, then, cannot connect.",
    ])
    func aRiddleIsFound(sentence: String) {
        #expect(SentenceBeginning.fix(for: sentence) != nil)
    }

    @Test(arguments: [
        "Whole seconds.", "Whether another provider is left.", "Whatever is left is deleted.", "One provider sends.", "One thatched roof.",
        "That is the lease.", "That whichever comes first ends it.", "The other provider takes over.", "The other two lists are sorted.",
        "The otherwise unused column.", "The message that waits.", "Otherwise nothing is known.", "`What` is the name of a case.",
        "Somebody who waits is named What.", "what an example calls it", "",
    ])
    func aPlainSentenceIsNot(sentence: String) {
        #expect(SentenceBeginning.fix(for: sentence) == nil)
    }

    @Test func sentencesAreTakenFromSwift() {
        let file = SourceFile(
            path: "a.swift",
            lines: [
                "/// A pack (see ``Pack``.) Every claim", "/// has a lease. It", "///", "/// ends after 1.5 s!", "/// ```",
                "/// Example. Code", "/// ```",
                "/// - Parameter time: what is due. Later", "///   it is late.", "/// - `held`: Those", "struct S {",
                "    let url = \"https://a \\\" // b\"  // Beside", "    // Alone", "    let text = \"\"\"", "        // Text",
                "        \"\"\"",
            ])
        let expected: [(Int, String)] = [
            (0, "A pack (see ``Pack``.)"), (0, "Every claim has a lease."), (1, "It"), (3, "ends after 1.5 s!"), (7, "What is due."),
            (7, "Later it is late."), (9, "Those"), (11, "Beside"), (12, "Alone"),
        ]
        #expect(CommentSentence.all(in: file) == expected.map { CommentSentence(index: $0, text: $1) })
    }

    @Test func sentencesAreTakenFromSQL() {
        let file = SourceFile(
            path: "a.sql",
            lines: [
                "-- A table. It", "-- is small.", "create table a (b text default 'x -- y');  -- Beside",
                "comment on table a is 'One. Two''s.';",
                "comment on column a.b is", "    'Three -- four.';",
            ])
        let expected: [(Int, String)] = [
            (0, "A table."), (0, "It is small."), (2, "Beside"), (3, "One."), (3, "Two''s."), (4, "Three -- four."),
        ]
        #expect(CommentSentence.all(in: file) == expected.map { CommentSentence(index: $0, text: $1) })
    }
}

/// The beginnings of sentences that name no thing.
private enum SentenceBeginning {
    /// Returns how to write the sentence instead. Returns nil for a sentence that begins plainly.
    static func fix(for sentence: String) -> String? {
        let words = sentence.split(separator: " ").prefix(3).map { String($0.prefix(while: \.isLetter)) } + ["", "", ""]
        switch (words[0], words[1]) {
        case ("What", _), ("That", "which"):
            return "Begin with the noun (“The message that …”) or with “If” or “When”."
        case ("Who", _), ("Whoever", _), ("Whose", _), ("One", "who"):
            return "Begin with the noun (“A worker that …”) or with “If” or “When”."
        case ("Those", _), ("One", "that"), ("The", "others"):
            return "Repeat the noun (“The other deliveries …”)."
        case ("The", "other") where verbs.contains(words[2]):
            return "Repeat the noun (“The other lane …”)."
        case ("Nobody", _):
            return "Begin with the noun (“No process …”)."
        default:
            return nil
        }
    }

    /// Words that show that “the other” stands alone. Verbs that are also plurals of nouns, such as “sends”, are left out.
    private static let verbs: Set = [
        "is", "was", "are", "were", "has", "have", "had", "does", "do", "did", "can", "cannot", "could", "may", "might", "must", "will",
        "would", "shall", "should", "gets", "takes", "waits", "comes", "goes", "keeps", "stays", "remains", "says", "fails", "makes",
        "then", "also", "still", "never", "only", "already", "one", "ones",
    ]
}
