import Logging
import Testing
import TidingsCore

@testable import TidingsPipeline

/// An outage of a provider gives a few lines in the log, however many hosts fail.
@Suite struct BreakerLogTests {
    private static let start = Timestamp(microseconds: 1_800_000_000_000_000)
    private static let opened = BreakerChange.Kind.opened(failures: 5, pause: .seconds(5))
    private static let closed = BreakerChange.Kind.closed(failures: 9, after: .seconds(70))

    @Test func anOutageIsALineAndItsEndAnother() throws {
        var lines = BreakerLines()
        let failing = lines.lines(for: BreakerChange(host: "shop.example", Self.opened), of: "hooks", at: Self.start)
        #expect(failing.map(\.level) == [.warning])
        #expect(failing.first?.metadata == ["provider": "hooks", "host": "shop.example", "failures": "5", "pauseSeconds": "5"])
        let recovered = lines.lines(
            for: BreakerChange(host: "shop.example", Self.closed), of: "hooks", at: Self.start.adding(.seconds(70)))
        #expect(recovered.map(\.level) == [.notice])
        #expect(recovered.first?.metadata == ["provider": "hooks", "host": "shop.example", "failures": "9", "seconds": "70"])
        let whole = lines.lines(for: BreakerChange(host: nil, Self.opened), of: "apns", at: Self.start.adding(.seconds(71)))
        #expect(whole.first?.metadata["provider"] == "apns" && whole.first?.metadata["host"] == nil)
    }

    @Test func anEndpointIsToldFromItsHost() {
        var lines = BreakerLines()
        let host = lines.lines(for: BreakerChange(host: "h", Self.opened), of: "hooks", at: Self.start)
        let endpoint = lines.lines(for: BreakerChange(host: "h", isOfEndpoint: true, Self.opened), of: "hooks", at: Self.start)
        #expect(host.first?.text.hasPrefix("a provider is failing") == true)
        #expect(endpoint.first?.text.hasPrefix("an endpoint is failing") == true)
        #expect(endpoint.first?.metadata == host.first?.metadata, "no line shows a path")
        let closed = lines.lines(for: BreakerChange(host: "h", isOfEndpoint: true, Self.closed), of: "hooks", at: Self.start)
        #expect(closed.first?.text.hasPrefix("an endpoint has recovered") == true)
    }

    /// Changes beyond the limit are counted, and reported with the next change after the minute.
    @Test func tenThousandHostsThatFailAreAFewLines() throws {
        var lines = BreakerLines()
        var all: [BreakerLines.Line] = []
        for number in 0..<10_000 {
            all += lines.lines(for: BreakerChange(host: "h\(number)", Self.opened), of: "hooks", at: Self.start)
        }
        #expect(all.count == BreakerLines.perMinute + 1)
        let later = lines.lines(
            for: BreakerChange(host: "h1", Self.closed), of: "hooks", at: Self.start.adding(BreakerLines.minute))
        #expect(later.map(\.level) == [.warning, .notice])
        #expect(later.first?.metadata == ["opened": "\(10_000 - BreakerLines.perMinute)", "closed": "0"])
    }

    /// A circuit breaker that opens and closes all the time gives one line of each kind in a minute.
    @Test func aHostThatFlapsIsTwoLinesAMinute() {
        var lines = BreakerLines()
        var count = 0
        for second in 0..<59 {
            let kind = second % 2 == 0 ? Self.opened : Self.closed
            count += lines.lines(for: BreakerChange(host: "h", kind), of: "hooks", at: Self.start.adding(.seconds(second))).count
        }
        #expect(count == 2)
        // The clock is set back.
        #expect(lines.lines(for: BreakerChange(host: "h", Self.opened), of: "hooks", at: Self.start.adding(.seconds(-1))).count == 2)
    }
}
