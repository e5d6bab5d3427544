import Testing

@testable import TidingsWaiting

@Suite struct OwnerLinesTests {
    /// Lines of things. Each thing is its owner's name and a number.
    private static func lines(_ things: [(owner: String, size: Int)]) -> OwnerLines<String> {
        var lines = OwnerLines<String>()
        var counts: [String: Int] = [:]
        for thing in things {
            counts[thing.owner, default: 0] += 1
            lines.append("\(thing.owner)\(counts[thing.owner, default: 0])", of: thing.size, for: thing.owner)
        }
        return lines
    }

    @Test func theThingsOfOneOwnerKeepTheirOrder() {
        var lines = Self.lines([("a", 1), ("a", 1), ("a", 1)])
        #expect(lines.dequeueBatch(upTo: 2) == ["a1", "a2"])
        #expect(lines.count == 1)
        #expect(lines.dequeueBatch(upTo: 2) == ["a3"])
        #expect(lines.dequeueBatch(upTo: 2) == [])
    }

    @Test func anOwnerWithLittleDoesNotWaitBehindOneWithMuch() {
        var lines = Self.lines(Array(repeating: ("a", 1), count: 100) + [("b", 1)])
        #expect(lines.dequeueBatch(upTo: 4) == ["a1", "b1", "a2", "a3"])
    }

    /// A batch takes as much of each owner, not as many things.
    @Test func sizesCountAndNotThings() {
        var lines = Self.lines([("a", 10), ("a", 10), ("b", 3), ("b", 3), ("b", 3), ("b", 3), ("b", 3)])
        #expect(lines.dequeueBatch(upTo: 30) == ["a1", "b1", "b2", "b3", "b4", "a2"])
    }

    /// A thing that fills a batch alone comes first once only.
    @Test func ownersTakeTurnsWithThingsThatFillABatch() {
        var lines = Self.lines([("a", 9), ("a", 9), ("b", 9), ("c", 1)])
        #expect((0..<4).map { _ in lines.dequeueBatch(upTo: 5) } == [["a1"], ["b1"], ["c1", "a2"], []])
    }

    @Test func aThingThatIsLeftComesBeforeNewOnes() {
        var lines = Self.lines([("a", 1), ("a", 1), ("a", 1)])
        #expect(lines.dequeueBatch(upTo: 1) == ["a1"])
        lines.append("a4", of: 1, for: "a")
        lines.append("b1", of: 1, for: "b")
        #expect(lines.count == 4)
        #expect(lines.dequeueBatch(upTo: 10) == ["a2", "b1", "a3", "a4"])
        #expect(lines.count == 0)
    }
}
