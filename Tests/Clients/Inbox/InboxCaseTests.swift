import Foundation
import Testing

/// The table that the browser library runs as well: both behave alike.
@Suite struct InboxCaseTests {
    private static let cases: [InboxCase] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("cases.json")
        // An unreadable table gives no cases, which the first test reports.
        return (try? InboxCase.all(in: Data(contentsOf: file))) ?? []
    }()

    @Test func theTableIsRead() {
        #expect(Self.cases.count >= 60)
        #expect(Set(Self.cases.map(\.name)).count == Self.cases.count)
    }

    @Test(arguments: cases) func theLibraryBehavesLikeTheTable(_ entry: InboxCase) {
        #expect(CaseRunner(entry.given).run(entry.steps) == [])
    }
}

extension InboxCase: CustomTestStringConvertible {
    var testDescription: String { name }
}
