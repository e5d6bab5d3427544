import Testing

@testable import TidingsWeb

/// The path and the query of a request. Swift joins a delimiter and a combining mark after it to one character, and HTTP does not.
@Suite struct RequestTargetTests {
    private static let mark = "\u{301}"

    @Test func delimitersAreBytes() throws {
        let target = try #require(RequestTarget(path: "/a/\(Self.mark)b/", query: "x=\(Self.mark)1&\(Self.mark)y=2&&z"))
        #expect(target.segments.map { Array($0.utf8) } == ["a", "\(Self.mark)b", ""].map { Array($0.utf8) })
        #expect(target.query.map { Array($0.name.utf8) } == ["x", "\(Self.mark)y", "z"].map { Array($0.utf8) })
        #expect(target.query.map { Array($0.value.utf8) } == ["\(Self.mark)1", "2", ""].map { Array($0.utf8) })
        #expect(RequestTarget(path: "/\(Self.mark)", query: nil)?.segments.count == 1)
    }

    @Test func escapesAreDecodedInsideASegment() throws {
        let target = try #require(RequestTarget(path: "/a%2Fb/c+d", query: "a%3Db=c%26d+e"))
        #expect(target.segments == ["a/b", "c+d"])
        #expect(target.query.map(\.name) == ["a=b"] && target.query.map(\.value) == ["c&d e"])
    }

    @Test(arguments: ["", "a", "/%", "/%2", "/%zz", "/%00", "/%ff"]) func aBrokenPathIsNone(path: String) {
        let target = RequestTarget(path: path[...], query: nil)
        #expect(target == nil, "\(path)")
    }
}
