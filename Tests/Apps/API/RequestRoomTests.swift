import Testing
import TidingsStore

@testable import TidingsAPI

/// The requests in work of each caller, and the notifications that they ask for.
@Suite struct RequestRoomTests {
    private let room = RequestRoom()

    private func refusal(_ body: () throws -> Void) -> Problem? {
        do {
            try body()
            return nil
        } catch {
            return error as? Problem
        }
    }

    @Test func aTenantHasFewRequestsInWork() throws {
        var places = try (0..<RequestRoom.perTenant).map { _ in try room.begin(for: .tenant("acme")) }
        let refused = refusal { _ = try room.begin(for: .tenant("acme")) }
        let limit = RequestRoom.perTenant
        #expect(refused?.share == UsedShare(of: .tenant, .requests, used: limit, limit: limit, perSecond: nil))
        #expect(refusal { _ = try room.begin(for: .tenant("globex")) } == nil)
        #expect(refusal { _ = try room.begin(for: .person(RecipientKey(tenant: "acme", id: "ada"))) } == nil)
        // A request that ends gives its place back, however it ends.
        places.removeLast()
        #expect(refusal { places.append(try room.begin(for: .tenant("acme"))) } == nil)
        #expect(places.count == limit)
    }

    @Test func strangersAreNotCounted() throws {
        let places = try (0..<1_000).map { _ in try room.begin(for: .stranger(nil)) }
        #expect(places.count == 1_000)
    }

    @Test func aTenantAsksForFewNotificationsAtOnce() throws {
        var (first, second): (RequestPlace?, RequestPlace?) = (try room.begin(for: .tenant("a")), try room.begin(for: .tenant("b")))
        let (third, fourth) = (try room.begin(for: .tenant("c")), try room.begin(for: .tenant("d")))
        try first?.take(notifications: 20_000)
        #expect(refusal { try room.begin(for: .tenant("a")).take(notifications: 1) }?.share?.unit == .notifications)
        try second?.take(notifications: 20_000)
        try third.take(notifications: 20_000)
        #expect(refusal { try fourth.take(notifications: 1) }?.kind == .unavailable)
        (first, second) = (nil, nil)
        #expect(refusal { try fourth.take(notifications: 20_000) } == nil)
        withExtendedLifetime((third, fourth)) {}
    }
}
