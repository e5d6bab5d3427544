import Testing
import TidingsStore
import TidingsWeb

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

    /// The people of a tenant do not keep those of another out, however many they are.
    @Test func thePeopleOfATenantHaveACommonBound() throws {
        func person(_ number: Int, of tenant: String) -> ByteRoom.Owner { .person(RecipientKey(tenant: tenant, id: "\(number)")) }
        let limit = RequestRoom.perPeople
        var places = try (0..<limit).map { try room.begin(for: person($0, of: "acme")) }
        let refused = refusal { _ = try room.begin(for: person(limit, of: "acme")) }
        #expect(refused?.share == UsedShare(of: .tenant, .requests, used: limit, limit: limit, perSecond: nil))
        #expect(refusal { _ = try room.begin(for: person(0, of: "globex")) } == nil)
        #expect(refusal { _ = try room.begin(for: .tenant("acme")) } == nil)
        places.removeLast()
        #expect(refusal { places.append(try room.begin(for: person(limit, of: "acme"))) } == nil)
        #expect(places.count == limit)
    }

    /// After the end of a process, more people than the common bound come back at once.
    @Test func streamsThatOpenCountForTheirPersonAlone() throws {
        func person(_ number: Int) -> ByteRoom.Owner { .person(RecipientKey(tenant: "acme", id: "\(number)")) }
        var places = try (0...RequestRoom.perPeople).map { try room.begin(for: person($0), opensStream: true) }
        #expect(refusal { places.append(try room.begin(for: person(0))) } == nil)
        places += try (2..<RequestRoom.perPerson).map { _ in try room.begin(for: person(0), opensStream: true) }
        let refused = refusal { _ = try room.begin(for: person(0), opensStream: true) }
        let share = UsedShare(of: .person, .requests, used: RequestRoom.perPerson, limit: RequestRoom.perPerson, perSecond: nil)
        #expect(refused?.share == share)
        places.removeAll()
        // Nothing was given back that had not been taken.
        places = try (0..<RequestRoom.perPeople).map { try room.begin(for: person($0)) }
        #expect(refusal { _ = try room.begin(for: person(RequestRoom.perPeople)) } != nil)
        #expect(places.count == RequestRoom.perPeople)
    }

    /// Twelve people with slow bodies do not keep all others of their tenant out.
    @Test func theLastQuarterIsForPeopleWithNothingInWork() throws {
        func person(_ number: Int) -> ByteRoom.Owner { .person(RecipientKey(tenant: "acme", id: "\(number)")) }
        let bound = RequestRoom.perBusyPeople
        var places = try (0..<bound).map { try room.begin(for: person($0 / RequestRoom.perPerson)) }
        let last = bound / RequestRoom.perPerson
        places.append(try room.begin(for: person(last)))
        let refused = refusal { _ = try room.begin(for: person(last)) }
        #expect(refused?.share == UsedShare(of: .tenant, .requests, used: bound + 1, limit: bound, perSecond: nil))
        #expect(refusal { places.append(try room.begin(for: person(last + 1))) } == nil)
        #expect(places.count == bound + 2)
    }

    @Test func theLargeAnswersOfATenantsPeopleHaveACommonBound() throws {
        let people = (0..<3).map { ByteRoom.Owner.person(RecipientKey(tenant: "acme", id: "\($0)")) }
        var first: RequestPlace? = try room.begin(for: people[0])
        let (second, third) = (try room.begin(for: people[1]), try room.begin(for: people[2]))
        let other = try room.begin(for: .person(RecipientKey(tenant: "globex", id: "ada")))
        try first?.reserve(answerBytes: 24 << 20)
        try second.reserve(answerBytes: 24 << 20)
        let refused = refusal { try third.reserve(answerBytes: 1 << 20) }
        #expect(refused?.share == UsedShare(of: .tenant, .bytes, used: 48 << 20, limit: 48 << 20, perSecond: nil))
        #expect(refusal { try other.reserve(answerBytes: 16 << 20) } == nil)
        first = nil
        #expect(refusal { try third.reserve(answerBytes: 1 << 20) } == nil)
        withExtendedLifetime((second, third, other)) {}
    }

    /// A few people with slow networks do not keep all others of their tenant out.
    @Test func aPartOfTheLargeAnswersIsForPeopleThatHoldNone() throws {
        let places = try (0..<3).map { try room.begin(for: .person(RecipientKey(tenant: "acme", id: "\($0)"))) }
        try places[0].reserve(answerBytes: 24 << 20)
        try places[1].reserve(answerBytes: 4 << 20)
        let refused = refusal { try places[1].reserve(answerBytes: 12 << 20) }
        #expect(refused?.share == UsedShare(of: .tenant, .bytes, used: 28 << 20, limit: 36 << 20, perSecond: nil))
        #expect(refusal { try places[2].reserve(answerBytes: 12 << 20) } == nil)
    }

    /// Two tenants whose clients do not take their exports do not keep a third one out.
    @Test func theLastQuarterOfTheLargeAnswersIsForCallersThatHoldNone() throws {
        var places: [RequestPlace] = []
        func export(for tenant: String) throws {
            let place = try room.begin(for: .tenant(tenant))
            try place.reserve(answerBytes: RecipientOperations.exportBytes)
            places.append(place)
        }
        for tenant in ["acme", "globex"] {
            while refusal({ try export(for: tenant) }) == nil {}
        }
        #expect(places.count * RecipientOperations.exportBytes == RequestRoom.answers.forBusyCallers)
        #expect(refusal { try export(for: "globex") }?.kind == .unavailable)
        #expect(refusal { try export(for: "initech") } == nil)
        // The third tenant holds an answer now, so the rest is for other tenants.
        #expect(refusal { try export(for: "initech") }?.kind == .unavailable)
        #expect(refusal { try export(for: "umbrella") } == nil)
        #expect(places.count * RecipientOperations.exportBytes < RequestRoom.answers.total)
    }

    @Test func strangersAreNotCounted() throws {
        let places = try (0..<1_000).map { _ in try room.begin(for: .stranger(nil)) }
        #expect(places.count == 1_000)
    }

    /// A person who takes no answer gets no further ones.
    @Test func answersThatWereNotTakenAreBounded() throws {
        let people = ["ada", "bob", "eve"].map { ByteRoom.Owner.person(RecipientKey(tenant: $0, id: $0)) }
        var (first, second): (RequestPlace?, RequestPlace?) = (try room.begin(for: people[0]), try room.begin(for: people[1]))
        let (third, fourth) = (try room.begin(for: people[0]), try room.begin(for: people[2]))
        try first?.reserve(answerBytes: 25 << 20)
        let refused = refusal { try third.reserve(answerBytes: 25 << 20) }
        #expect(refused?.share == UsedShare(of: .person, .bytes, used: 25 << 20, limit: 32 << 20, perSecond: nil))
        // An answer above the share counts as the share, or it would never be given.
        try second?.reserve(answerBytes: 40 << 20)
        #expect(refusal { try fourth.reserve(answerBytes: 25 << 20) }?.kind == .unavailable)
        // Ordinary answers do not count, and answers to strangers are no copies.
        #expect(refusal { try third.reserve(answerBytes: RequestRoom.smallAnswer) } == nil)
        #expect(refusal { try room.begin(for: .stranger(nil)).reserve(answerBytes: 25 << 20) } == nil)
        (first, second) = (nil, nil)
        #expect(refusal { try third.reserve(answerBytes: 25 << 20) } == nil)
        withExtendedLifetime((third, fourth)) {}
    }

    @Test func aTenantAsksForFewNotificationsAtOnce() throws {
        var (first, second): (RequestPlace?, RequestPlace?) = (try room.begin(for: .tenant("a")), try room.begin(for: .tenant("b")))
        let (third, fourth) = (try room.begin(for: .tenant("c")), try room.begin(for: .tenant("d")))
        try first?.reserve(notifications: 20_000)
        #expect(refusal { try room.begin(for: .tenant("a")).reserve(notifications: 1) }?.share?.unit == .notifications)
        try second?.reserve(notifications: 20_000)
        try third.reserve(notifications: 20_000)
        #expect(refusal { try fourth.reserve(notifications: 1) }?.kind == .unavailable)
        (first, second) = (nil, nil)
        #expect(refusal { try fourth.reserve(notifications: 20_000) } == nil)
        withExtendedLifetime((third, fourth)) {}
    }
}
