import Testing
import TidingsContracts
import TidingsCore
import TidingsStore

@Suite struct IntentIdentityTests {
    private func event(id: String = "1", source: String = "/s", recipient: String = "u", tenant: String = "default", rest: String = "")
        -> String
    {
        #"{"specversion":"1.0","id":"\#(id)","source":"\#(source)","type":"orderUpdate","data":"#
            + #"{"recipient":"\#(recipient)","tenant":"\#(tenant)","title":"T"\#(rest)}}"#
    }

    @Test func everyPartOfTheKeyCounts() throws {
        let events = [
            event(), event(id: "2"), event(source: "/t"), event(recipient: "v"), event(tenant: "acme"), event(id: "u", recipient: "1"),
            event(id: "1u", recipient: "x"), event(id: "1", recipient: "ux"),
        ]
        #expect(try Set(events.map { try Sample.intent($0).idempotencyKey }).count == events.count)
    }

    @Test func theContentHashSeesMeaningAndNotSpelling() throws {
        let base = try Sample.intent(event(rest: #","data":{"a":1,"b":{"x":"\u0041","y":[true,null]}}"#))
        let same = try Sample.intent(event(rest: #", "data" : {"b":{"y":[true,null],"x":"A"},"a":1.0},"body":null"#))
        #expect(base.contentHash == same.contentHash)
        for other in [
            #","data":{"a":2,"b":{"x":"A","y":[true,null]}}"#, #","data":{"a":1,"b":{"x":"A","y":[null,true]}}"#,
            #","data":{"a":"1","b":{"x":"A","y":[true,null]}}"#, #","data":{"a":1,"b":{"x":"A","y":[true]}}"#, #","data":{"a":1}"#,
            #","data":{"a":1,"b":{"x":"A","y":[true,null]}},"critical":true"#,
        ] {
            #expect(try Sample.intent(event(rest: other)).contentHash != base.contentHash, "\(other)")
        }
    }

    /// An event from SQL names its tenant and writes times as PostgreSQL does. The same event from AMQP need not.
    @Test(arguments: [#""tenant":"default""#, #""critical":false"#, #""data":{}"#, #""collapseKey":"","body":"""#])
    func aMemberThatNamesItsDefaultChangesNothing(member: String) throws {
        let event = event().replacing(#""tenant":"default","#, with: "")
        let plain = try Sample.intent(event)
        let named = try Sample.intent(event.replacing(#""title":"T""#, with: #""title":"T",\#(member)"#))
        #expect(named.contentHash == plain.contentHash && named.idempotencyKey == plain.idempotencyKey)
    }

    @Test func aTimeCountsByItsInstant() throws {
        let one = try Sample.intent(event(rest: #","scheduledFor":"2027-12-24T18:00:00+01:00""#))
        let other = try Sample.intent(event(rest: #","scheduledFor":"2027-12-24T17:00:00.000Z""#))
        let later = try Sample.intent(event(rest: #","scheduledFor":"2027-12-24T17:00:01Z""#))
        #expect(one.contentHash == other.contentHash && one.contentHash != later.contentHash)
    }

    @Test func theContentHashDoesNotDependOnTheRecipients() throws {
        let one = try Sample.intent(event(recipient: "a"))
        let other = try Sample.intent(event(recipient: "b"))
        #expect(one.contentHash == other.contentHash)
        #expect(one.idempotencyKey != other.idempotencyKey)
    }

    @Test func digestsAreTheFirstHalfOfSHA256() {
        #expect(Digest128(hashing: Array("abc".utf8)).description == "ba7816bf8f01cfea414140de5dae2223")
        #expect(Digest128(high: 1, low: .max) < Digest128(high: 2, low: 0))
        #expect(Digest128(high: 1, low: 0) < Digest128(high: 1, low: 1))
    }
}
