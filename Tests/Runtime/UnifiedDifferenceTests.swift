import Testing
import TidingsTestSupport

@testable import TidingsCommands
@testable import TidingsServer

@Suite struct UnifiedDifferenceTests {
    private func difference(_ old: [String], _ new: [String]) -> [String] {
        UnifiedDifference.lines(from: old.joined(separator: "\n"), "old", to: new.joined(separator: "\n"), "new")
    }

    @Test func eachPartHasItsContextAndTheKeysAbove() {
        let old = ["types:"] + (1...12).flatMap { ["  t\($0):", "    category: social"] } + ["end: 1"]
        var new = old
        new[4] = "    category: system"
        new.insert("    silent: true", at: 23)
        #expect(
            difference(old, new) == [
                "--- old", "+++ new", "@@ -2,7 +2,7 @@ types", "   t1:", "     category: social", "   t2:", "-    category: social",
                "+    category: system", "   t3:", "     category: social", "   t4:", "@@ -21,6 +21,7 @@ types > t10",
                "     category: social", "   t11:", "     category: social", "+    silent: true", "   t12:", "     category: social",
                " end: 1",
            ])
    }

    /// Applying the parts to the old lines gives the new lines.
    @Test(arguments: 0..<200) func thePartsMakeTheNewText(seed: Int) throws {
        var random = SplitMix64(state: UInt64(seed))
        let old = (0..<random.below(40)).map { _ in "line \(random.below(6))" } + ["end"]
        var new = old
        for _ in 0..<random.below(6) {
            let place = random.below(new.count)
            if random.below(2) == 0 { new.insert("line \(random.below(9))", at: place) } else if new.count > 1 { new.remove(at: place) }
        }
        let lines = difference(old, new)
        #expect(lines.isEmpty == (old == new))
        var (result, next): ([String], Int) = ([], 0)
        for line in lines.dropFirst(2) {
            if line.hasPrefix("@@ -") {
                let numbers = line.split { !$0.isNumber }.prefix(4).compactMap { Int($0) }
                let start = numbers[1] == 0 ? numbers[0] : numbers[0] - 1
                try #require(start >= next, "parts overlap: \(lines)")
                result += old[next..<start]
                next = start
            } else if line.hasPrefix("+") {
                result.append(String(line.dropFirst()))
            } else {
                #expect(old[next] == line.dropFirst(), "\(lines)")
                if line.hasPrefix(" ") { result.append(old[next]) }
                next += 1
            }
        }
        #expect(result + old[next...] == new, "\(lines)")
    }

    /// The time for two large files without a common line grows only with their length.
    @Test func aLargeRewriteIsShownWhole() {
        let lines = difference((0..<20_000).map { "a\($0)" }, (0..<20_000).map { "b\($0)" })
        #expect(lines.count == 40_003 && lines[3] == "-a0" && lines[20_003] == "+b0")
    }
}
