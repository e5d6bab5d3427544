import Testing
import TidingsStore

@testable import TidingsAPI

/// The streams of tenants in a process that is nearly full.
@Suite struct StreamSharesTests {
    private func person(_ number: Int, of tenant: String) -> RecipientKey { RecipientKey(tenant: tenant, id: "\(number)") }

    @Test func aTenantAloneMayFillTheProcess() {
        var shares = StreamShares(connections: 16)
        #expect(shares.crowded == 14)
        for number in 0..<16 { shares.begin(person(number, of: "acme")) }
        #expect(shares.givingWay == nil)
    }

    @Test func theTenantWithTheMostStreamsGivesWay() {
        var shares = StreamShares(connections: 16)
        for number in 0..<14 { shares.begin(person(number, of: "acme")) }
        #expect(shares.givingWay == nil, "there is room")
        shares.begin(person(0, of: "globex"))
        let first = shares.givingWay
        #expect(first?.tenant == "acme")
        shares.end(first ?? person(0, of: ""), isLast: true)
        #expect(shares.givingWay == nil)
        // A person whose streams have ended is not asked again.
        shares.begin(person(1, of: "globex"))
        #expect(shares.givingWay?.tenant == "acme" && shares.givingWay != first)
        for number in 2..<20 { shares.begin(person(number, of: "globex")) }
        #expect(shares.givingWay?.tenant == "globex")
    }

    @Test func aPersonWithSeveralStreamsCountsForEach() {
        var shares = StreamShares(connections: 8)
        for _ in 0..<7 { shares.begin(person(0, of: "acme")) }
        shares.begin(person(0, of: "globex"))
        #expect(shares.givingWay == person(0, of: "acme"))
        shares.end(person(0, of: "acme"), isLast: false)
        #expect(shares.givingWay == nil)
        shares.begin(person(1, of: "globex"))
        #expect(shares.givingWay == person(0, of: "acme"), "the person has further streams")
    }
}
