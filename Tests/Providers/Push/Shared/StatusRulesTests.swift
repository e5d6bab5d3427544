import Foundation
import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderAirship
@testable import ProviderBraze
@testable import ProviderFCM

/// The two tables of answers: the end of a delivery, and the evidence about endpoint and host.
@Suite struct StatusRulesTests {
    private static let now = Timestamp(seconds: 1_767_225_600)

    private static func response(_ status: Int, _ headers: [(String, String)] = []) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, body: [], bodyTruncated: false)
    }

    @Test func everyStatusHasAnEnd() {
        for status in 200...999 { #expect(StatusRules.common.contains { $0.statuses.contains(status) }) }
        #expect(StatusRules().end(of: 777) == .retry(.providerUnavailable))
    }

    @Test func theOwnRulesComeFirst() {
        let rules = StatusRules([.init(404, .gone, "a page"), .init(400...499, .retry(.httpStatus), "a page")])
        #expect(rules.end(of: 404) == .gone && rules.end(of: 401) == .retry(.httpStatus))
        #expect(rules.end(of: 500) == .retry(.providerUnavailable))
        #expect(StatusRules().end(of: 404) == .rejected(.providerRejected))
    }

    @Test func everyEndBecomesItsOutcome() {
        let ends: [(StatusRules.End, Outcome)] = [
            (.retry(.httpStatus), .retry(after: .seconds(7), .httpStatus)), (.rejected(.providerRejected), .rejected(.providerRejected)),
            (.gone, .endpointGone), (.misconfigured(.misconfigured), .misconfigured(.misconfigured)),
            (.unknown(.outcomeUnknown), .unknown(.outcomeUnknown)),
        ]
        for (end, outcome) in ends {
            let answer = Self.response(418, [("retry-after", "7")])
            #expect(StatusRules([.init(418, end, "a page")]).outcome(of: answer, now: Self.now) == outcome)
        }
    }

    /// An unknown client error of a service is the answer of a service that works. It ends the delivery, and counts against nobody.
    @Test func aClientErrorCountsAgainstNobody() {
        for status in 400...499 {
            let answer = HTTPResult.response(Self.response(status))
            let results = [
                airshipResults(of: answer, count: 1, now: Self.now)[0], brazeResult(of: answer, now: Self.now),
                fcmResult(of: answer, now: Self.now),
            ]
            for result in results {
                #expect(result.evidence == ([408, 425, 429].contains(status) ? .reachable : .healthy), "\(status) \(result)")
                if case .retry = result.outcome { #expect([408, 425, 429].contains(status)) }
            }
        }
    }

    // MARK: The page

    /// `Providers.md` shows both tables as they stand in the code.
    @Test func thePageShowsTheTables() throws {
        let page = try Self.page("Providers.md")
        for rule in StatusRules.common {
            let row = "| \(Self.statuses(rule.statuses)) | \(Self.words(rule.end)) | \(rule.source) |"
            #expect(page.contains(row), "\(row)")
        }
        for rule in Outcome.evidenceRules {
            let row = "| a retry with \(Self.statuses(rule.statuses)) | \(Self.words(rule.evidence)) | \(rule.source) |"
            #expect(page.contains(row), "\(row)")
        }
    }

    private static func page(_ name: String) throws -> String {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return try String(contentsOf: root.appendingPathComponent("Sources/Documentation.docc/\(name)"), encoding: .utf8)
    }

    private static func statuses(_ range: ClosedRange<Int>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)–\(range.upperBound)"
    }

    private static func words(_ end: StatusRules.End) -> String {
        switch end {
        case .retry(let reason): "retry, `\(reason.rawValue)`"
        case .rejected(let reason): "failed, `\(reason.rawValue)`"
        case .gone: "failed, `endpointGone`"
        case .misconfigured(let reason): "failed, `\(reason.rawValue)`, a mistake of the operator"
        case .unknown(let reason): "`\(reason.rawValue)`"
        }
    }

    private static func words(_ evidence: Outcome.Evidence) -> String {
        switch evidence {
        case .healthy: "the host works"
        case .failing: "the endpoint fails"
        case .unreachable: "the host fails"
        case .reachable: "the host can be reached"
        case .none: "none"
        }
    }
}
