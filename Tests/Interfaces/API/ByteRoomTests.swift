import Testing
import TidingsHTTP
import TidingsHTTPServer
import TidingsMetrics
import TidingsStore
import TidingsWeb

@testable import TidingsAPI

/// The memory of bodies in work: a part for each kind of caller, and a share for each caller.
@Suite struct ByteRoomTests {
    private let metrics = Metrics(version: "test")
    private let room: ByteRoom

    init() { room = ByteRoom(metrics: metrics) }

    private func lease(_ owner: ByteRoom.Owner) -> ByteLease { ByteLease(room, for: owner) }

    /// The problem of a refusal. Nil if the bytes were taken.
    private func refusal(_ lease: ByteLease?, _ bytes: Int) -> Problem? {
        do {
            try lease?.reserve(bytes)
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test func aTenantHasAShareAndAllTenantsAPart() {
        var first: ByteLease? = lease(.tenant("acme"))
        let second = lease(.tenant("acme"))
        let (third, fourth) = (lease(.tenant("globex")), lease(.tenant("initech")))
        #expect(refusal(first, 16 << 20) == nil)
        let overShare = refusal(second, 1)
        #expect(overShare?.kind == .rateLimited)
        #expect(overShare?.share == UsedShare(of: .tenant, .bytes, used: 16 << 20, limit: 16 << 20, perSecond: nil))
        #expect(refusal(third, 16 << 20) == nil)
        #expect(refusal(fourth, 1)?.kind == .unavailable)
        #expect(metrics.apiBytesInWork[.tenants].value == 32 << 20)
        // The bytes come back with the last reference, whatever became of the request.
        first = nil
        #expect(metrics.apiBytesInWork[.tenants].value == 16 << 20)
        #expect(refusal(second, 1) == nil && refusal(fourth, 1) == nil)
        withExtendedLifetime((second, third, fourth)) {}
    }

    /// Two tenants that hold their shares leave room for the largest body of another.
    @Test func theLastQuarterIsForCallersWithNothingInWork() {
        let largest = APILimits.intentBytes
        let busy = ["acme", "globex"].map { tenant in (0..<4).map { _ in lease(.tenant(tenant)) } }
        var taken = 0
        for round in 0..<4 {
            for leases in busy where refusal(leases[round], largest) == nil { taken += 1 }
        }
        #expect(taken == 6)
        #expect(refusal(busy[0][3], 1)?.kind == .unavailable)
        let (third, fourth) = (lease(.tenant("initech")), lease(.tenant("umbrella")))
        #expect(refusal(third, largest) == nil && refusal(fourth, largest) == nil)
        withExtendedLifetime((busy, third, fourth)) {}
    }

    /// However many people a tenant has, those of another tenant send their bodies.
    @Test func thePeopleOfATenantHaveACommonBound() {
        var busy = (0..<12).map { lease(.person(RecipientKey(tenant: "acme", id: "\($0)"))) }
        for person in busy { #expect(refusal(person, 512 << 10) == nil) }
        let another = lease(.person(RecipientKey(tenant: "acme", id: "ada")))
        #expect(refusal(another, 1)?.share == UsedShare(of: .tenant, .bytes, used: 6 << 20, limit: 6 << 20, perSecond: nil))
        let others = (0..<4).map { lease(.person(RecipientKey(tenant: "globex", id: "\($0)"))) }
        for person in others { #expect(refusal(person, 512 << 10) == nil) }
        busy.removeLast()
        #expect(refusal(another, 64 << 10) == nil)
        withExtendedLifetime((busy, others, another)) {}
    }

    @Test func theLastQuarterOfATenantIsForPeopleWithNothingInWork() {
        let busy = (0..<9).map { lease(.person(RecipientKey(tenant: "acme", id: "\($0)"))) }
        for person in busy { #expect(refusal(person, 384 << 10) == nil) }
        for person in busy { #expect(refusal(person, 128 << 10) == nil) }
        let others = (0..<2).map { lease(.person(RecipientKey(tenant: "acme", id: "other-\($0)"))) }
        for person in others { #expect(refusal(person, 64 << 10) == nil) }
        let used = (9 << 19) + (2 << 16)
        #expect(refusal(others[0], 1)?.share == UsedShare(of: .tenant, .bytes, used: used, limit: 9 << 19, perSecond: nil))
        withExtendedLifetime((busy, others)) {}
    }

    @Test func aKindOfCallerTakesNothingFromAnother() throws {
        let strangers = (0..<8).map { lease(.stranger(IPAddress("198.51.100.\($0)").map { ClientAddress($0) })) }
        for stranger in strangers { #expect(refusal(stranger, 1 << 20) == nil) }
        #expect(refusal(strangers[0], 1)?.share?.owner == .address)
        #expect(refusal(lease(.stranger(nil)), 1)?.kind == .unavailable)
        #expect(refusal(lease(.person(RecipientKey(tenant: "default", id: "ada"))), 64 << 10) == nil)
        #expect(refusal(lease(.provider("dmp")), 256 << 10) == nil)
        withExtendedLifetime(strangers) {}
    }

    /// A client that still sends when its connection ends sees a reset, and neither 429 nor `Retry-After`.
    @Test func aRefusedBodyIsDroppedAsAWhole() {
        #expect(APILimits.server.drainedBytes >= APILimits.intentBytes)
        #expect(APILimits.server.bodyBytes == APILimits.intentBytes)
    }

    @Test func aProvenCallerGivesTheRoomOfStrangersBack() throws {
        let proven = lease(.stranger(nil))
        try proven.reserve(1 << 20)
        try proven.belongs(to: .provider("dmp"))
        #expect(metrics.apiBytesInWork[.strangers].value == 0 && metrics.apiBytesInWork[.providers].value == 1 << 20)
        #expect(refusal(lease(.stranger(nil)), 1 << 20) == nil)
        withExtendedLifetime(proven) {}
    }
}
