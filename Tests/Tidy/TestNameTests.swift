import Testing

/// The list of a failed run names tests. A name is a sentence on its own: subject, verb, condition.
@Suite struct TestNameTests {
    @Test func theNameOfATestIsASentence() throws {
        var count = 0
        for file in try Repository.files(below: "Tests") {
            for test in NamedTest.all(in: file) {
                count += 1
                guard let fault = test.fault else { continue }
                Issue.record("\(file.place(test.index)) \(test.name) \(fault): begin as in aPackWithoutRoomWaitsInTheBroker")
            }
        }
        #expect(count > 2_000, "the tests are not recognised any more")
    }

    @Test(arguments: [
        "whatFindsNoRoomWaits", "whoIsGoneIsNamed", "itEndsAtItsEnd", "withoutATokenNothingIsSent", "afterClosingNothingIsSent",
        "andThenTheTitle", "othersHaveRoom", "refusesPorts", "reads", "it",
    ])
    func aNameThatBeginsInTheMiddleIsFound(name: String) {
        #expect(NamedTest(index: 0, name: name).fault != nil)
    }

    @Test(arguments: [
        "aMessageWithoutRoomWaits", "itemsAreEqual", "noPersonIsForgotten", "onlyDebugBuildsHaveTheMeans", "everyStepIsPassedOnce",
        "otherKeysAreRefused", "oneRefusedPushRefusesAll", "refusedCommitsAreTold", "toolsAreFound", "sha256OfTheExample", "whatsoever",
    ])
    func aNameWithASubjectIsNot(name: String) {
        #expect(NamedTest(index: 0, name: name).fault == nil)
    }

    @Test func namesAreTakenFromTests() {
        let file = SourceFile(
            path: "Tests/Core/ATests.swift",
            lines: [
                "@Suite struct ATests {", "    // @Test func commented() {}", "    @Test func one() {}", "    @Test(",
                "        arguments: [", "            \"func none()\",", "        ])", "    func two(_ text: String) {",
                "        func helper() {}", "    }",
                "    @Test(arguments: [(1, \"a\")]) func three(_ row: (Int, String)) async throws {}", "    func plain() {}", "}",
            ])
        #expect(NamedTest.all(in: file).map(\.name) == ["one", "two", "three"])
        #expect(NamedTest.all(in: file).map(\.index) == [2, 7, 10])
    }
}

/// The name of a test, with the index of the line that has it.
private struct NamedTest {
    let index: Int
    let name: String

    static func all(in file: SourceFile) -> [NamedTest] {
        var isOpen = false
        var found: [NamedTest] = []
        for (index, line) in file.code {
            if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("@Test") { isOpen = true }
            // The arguments of a test may have a function in a text, which a quote precedes.
            guard isOpen, let match = line.firstMatch(of: /(?:^\s*|@Test |\) )(?:@\w+ )*(?:[a-z]+ )*func `?(\w+)/) else { continue }
            found.append(NamedTest(index: index, name: String(match.output.1)))
            isOpen = false
        }
        return found
    }

    /// Returns why the name is no sentence. Returns nil for a name that begins with a subject.
    var fault: String? {
        let word = String(name.prefix { $0.isLowercase || $0.isNumber })
        if Self.connections.contains(word) { return "begins in the middle of a sentence" }
        return Self.verbs.contains(word) ? "has no subject" : nil
    }

    /// Conjunctions, prepositions, pronouns, relative words and auxiliary verbs. Words that good sentences begin with are left out, such as
    /// “no”, “only”, “every”, “other” and “both”.
    private static let connections: Set = [
        "and", "or", "but", "nor", "so", "because", "since", "if", "unless", "until", "when", "whenever", "while", "where", "whether",
        "also", "then", "too", "not", "never", "even", "still", "just", "there", "here",
        "with", "without", "within", "after", "before", "during", "between", "among", "beyond", "for", "from", "of", "in", "into", "on",
        "at", "by", "to", "as", "than", "over", "under", "through", "per", "via",
        "it", "its", "they", "them", "their", "he", "she", "this", "that", "these", "those", "others", "nobody",
        "what", "whatever", "who", "whom", "whose", "whoever", "which", "why", "how",
        "is", "are", "was", "were", "be", "has", "have", "had", "does", "do", "did", "can", "may", "must",
    ]

    /// Verbs in the third person that are no plurals of nouns. The subject is only the name of the suite.
    private static let verbs: Set = [
        "accepts", "agrees", "allows", "arrives", "carries", "connects", "expires", "follows", "gives", "ignores", "increases", "judges",
        "keeps", "knows", "makes", "opens", "prints", "puts", "reads", "refuses", "remembers", "sends", "settles", "skips", "takes",
        "tells", "verifies", "waits", "writes",
    ]
}
