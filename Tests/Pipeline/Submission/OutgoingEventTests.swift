import Testing
import TidingsContracts
import TidingsCore
import TidingsStore

@testable import TidingsPipeline

/// The events of a request on their way to the broker, read for the first time and read again.
@Suite struct OutgoingEventTests {
    /// A request that is repeated with its `Idempotency-Key` chooses its queues as the first one did.
    @Test(arguments: [
        #"{"recipient":"user-42","title":"T"}"#, #"{"recipients":["a","b","a"],"title":"T"}"#,
        #"{"recipients":["a","\u00e9"],"title":"T","tenant":"acme"}"#,
    ])
    func aRepetitionHasTheSameLoad(data: String) throws {
        let content = String(repeating: "x", count: 5_000)
        let large = String(data.dropLast()) + #","data":{"text":"\#(content)"}}"#
        for body in [data, large].map({ Sample.event(data: $0) }) {
            let request = Self.request(body)
            let fresh = SubmittedBody(request, decoder: Sample.decoder, rights: .unrestricted, now: Sample.now)
            #expect(fresh.faults.isEmpty)
            let first = try #require(fresh.events.first.map { OutgoingEvent($0) })
            let repeated = try #require(RepeatedBody(request, limits: IntentLimits())?.events.first.map { OutgoingEvent($0) })
            #expect(first.load(in: .urgent) == repeated.load(in: .urgent) && first.notifications > 0)
            #expect(first.load(in: .urgent).weight == first.notifications * (body.utf8.count > 5_000 ? 3 : 1))
        }
    }

    /// No notification has a row with the list.
    @Test func theListOfRecipientsIsNoContent() throws {
        let names = (0..<LaneAllowance.largestEvent).map { "\($0)-" + String(repeating: "n", count: 200) }
        let list = names.map { "\"\($0)\"" }.joined(separator: ",")
        let request = Self.request(Sample.event(data: #"{"recipients":[\#(list)],"title":"T"}"#))
        let body = SubmittedBody(request, decoder: Sample.decoder, rights: .unrestricted, now: Sample.now)
        let event = try #require(body.events.first.map { OutgoingEvent($0) })
        let load = event.load(in: .bulk)
        #expect(load.weight == LaneAllowance.largestEvent && !load.isLarge)
        #expect(load.account == LaneLoad.Account(tenant: Intent.defaultTenant, lane: .bulk))
    }

    private static func request(_ body: String) -> SubmittedRequest {
        let key = CallerKey(id: "0123456789abcdef", name: "shop", tenant: nil, scopes: [.intentsWrite])
        return SubmittedRequest(body: Array(body.utf8), contentType: "application/json", key: key)
    }
}
