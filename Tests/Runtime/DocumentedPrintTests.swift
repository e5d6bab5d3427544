import Foundation
import Testing
import TidingsCore
import TidingsTestSupport

/// The guides show what `why` and `send --wait` print. A reader who compares must find the same words.
@Suite struct DocumentedPrintTests {
    private static func guides() throws -> [(name: String, lines: [String])] {
        let folder = TestSystem.repository.appendingPathComponent("Sources/Documentation.docc")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        let files = pages.map { folder.appendingPathComponent($0) } + [TestSystem.repository.appendingPathComponent("README.md")]
        return try files.map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n")) }
    }

    @Test func aDeliveryIsShownWithTheWordsOfItsReason() throws {
        var count = 0
        for (name, lines) in try Self.guides() {
            var shown: (code: ReasonCode, channel: Channel)?
            for line in lines {
                let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
                if line.hasPrefix("  "), words.count > 3, let channel = Channel(rawValue: words[0]),
                    DeliveryState(rawValue: words[1]) != nil, let code = ReasonCode(rawValue: words[2])
                {
                    count += 1
                    shown = (code, channel)
                    let text = words.dropFirst(3).joined(separator: " ")
                    #expect(text.hasPrefix(code.meaning) || text.hasPrefix("until "), "\(name): \(line)")
                } else if let advice = line.firstRange(of: "what to do: "), let (code, channel) = shown {
                    #expect(line[advice.upperBound...] == code.whatToDo(on: channel), "\(name): \(line)")
                }
            }
        }
        #expect(count >= 8, "the lines are not recognised any more")
    }
}
