import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// Ids that Swift calls equal are two ids, as for PostgreSQL.
@Suite struct ByteIdentityTests {
    /// The name José, in two spellings.
    private static let (composed, decomposed) = ("jos\u{e9}", "jose\u{301}")
    /// The letter K and the Kelvin sign.
    private static let (letter, sign) = ("K", "\u{212A}")

    @Test func swiftCallsTheNamesEqual() { #expect(Self.composed == Self.decomposed && Self.letter == Self.sign) }

    /// Consecutive rows of two people stay the rows of two people: the stream of one person must not name the ids of the other.
    @Test func aSignalKeepsTwoPeopleApart() {
        func entry(_ tenant: String, _ recipient: String) -> EntryKey {
            EntryKey(tenant: tenant, recipient: recipient, id: NotificationID(high: 0, low: 1))
        }
        let arrivals = InboxArrivals([
            entry("default", Self.composed), entry("default", Self.decomposed), entry("default", Self.decomposed),
        ])
        let people = arrivals.people
        #expect(people.map { Array($0.recipient.utf8) } == [Array(Self.composed.utf8), Array(Self.decomposed.utf8)])
        #expect(people.map(\.new.count) == [1, 2])
        let tenants = InboxArrivals([entry(Self.letter, "ann"), entry(Self.sign, "ann")])
        #expect(tenants.people.count == 2)
    }

    @Test func aKeyAllowsTheBytesOfItsTenant() {
        let key = CallerKey(id: "0000000000000000", name: "shop", tenant: Self.letter, scopes: [])
        #expect(key.allows(tenant: Self.letter) && !key.allows(tenant: Self.sign))
        #expect(CallerKey(id: "0000000000000000", name: "all", tenant: nil, scopes: []).allows(tenant: Self.sign))
    }

    @Test func aNotificationIsThatOfItsTenant() async throws {
        try await StoreScene.with { scene in
            let intent = Intent(
                tenant: Self.letter, source: "/tests", id: "event", type: "orderUpdate", recipient: "ann", content: Content(title: "T"))
            let decoded = DecodedIntent(
                intent: intent, idempotencyKey: Digest128(high: 0, low: 1), contentHash: Digest128(high: 1, low: 0), bytesInMessage: 0..<1)
            try await scene.take(scene.claims([decoded]))
            let row = try #require(try await scene.system.query("select id from tidings.notifications").rows.first)
            let id = try row.decode(NotificationID.self)
            #expect(try await scene.store.reservations.notification(id, tenant: Self.letter) != nil)
            #expect(try await scene.store.reservations.notification(id, tenant: Self.sign) == nil)
        }
    }
}
