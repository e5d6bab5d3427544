import Logging
import Synchronization
import Testing
import TidingsContracts
import TidingsCore
import TidingsMetrics
import TidingsModules
import TidingsPipeline
import TidingsTestSupport

@testable import TidingsAPI
@testable import TidingsStore

/// The streams of a process: which of them are told, by which questions to the database.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct StreamHubTests {
    /// An event that a stream is told.
    private enum Told: Equatable {
        case inbox(Int64)
        case topic(Int)
    }

    private let news = ScriptedNews()
    private let metrics = Metrics(version: "test")

    /// A hub whose turns last a day. So no look finds news whose signal the hub has lost, and no heartbeat comes.
    private func hub(
        _ news: ScriptedNews? = nil, connections: Int = 1_000, signal: @escaping @Sendable ([InboxSignal.Person]) -> Void = { _ in }
    ) -> StreamHub {
        StreamHub(
            news: news ?? self.news, connections: connections, metrics: metrics, progress: ProgressWatch(), turnLength: .seconds(86_400),
            logger: Logger(label: "test") { _ in
                SwiftLogNoOpLogHandler()
            }, signal: signal)
    }

    private func person(_ id: String, of tenant: String = "t") -> RecipientKey { RecipientKey(tenant: tenant, id: id) }

    private func watcher(_ id: String, at position: Int64) -> InboxWatcher { InboxWatcher(person(id), known: .position(position)) }

    private func change(_ id: String, kind: InboxSignal.Kind = .inbox, new: [NotificationID] = []) -> InboxSignal.Person {
        InboxSignal.Person(tenant: "t", recipient: id, kind: kind, new: new)
    }

    /// A stream that was told its first event, of position 5.
    private func stream(of id: String, in hub: StreamHub) async throws -> StreamPlace {
        let place = try #require(hub.open(person(id), known: []))
        try await hub.begin(place.mailbox, known: .nothing)
        // The event comes before a heartbeat that is due.
        guard case .event(let event, _) = await place.mailbox.next() else { throw ScriptedNews.Fault() }
        #expect(event.position == 5)
        return place
    }

    /// The events that wait for a stream. The stream ends with them, and later events are told all the same.
    private func told(_ place: StreamPlace) async -> [Told] {
        place.mailbox.end()
        var told: [Told] = []
        while true {
            switch await place.mailbox.next() {
            case .event(let event, _): told.append(.inbox(event.position))
            case .news(_, let count, _): told.append(.topic(count))
            case .heartbeat: continue
            case .end, .gone: return told
            }
        }
    }

    /// Waits for the next event of a stream. Ends with the time limit of the test.
    private func next(of place: StreamPlace) async throws -> Told {
        let message = Task { await place.mailbox.next() }
        switch try await message.valueUnlessCancelled() {
        case .event(let event, _): return .inbox(event.position)
        case .news(_, let count, _): return .topic(count)
        case .heartbeat, .end, .gone: throw ScriptedNews.Fault()
        }
    }

    /// Whether the hub has told a stream without news to reconnect.
    private func hasEnded(_ place: StreamPlace) async -> Bool {
        place.mailbox.beat()
        if case .end = await place.mailbox.next() { return true }
        return false
    }

    // MARK: Signals

    @Test func aRunningHubTellsTheNewsOfASignal() async throws {
        let hub = hub()
        let running = Task { await hub.run() }
        let ada = try await stream(of: "ada", in: hub)
        hub.receive(.changes([change("ada")]))
        #expect(try await next(of: ada) == .inbox(6))
        hub.drain()
        try await running.valueUnlessCancelled()
    }

    /// The hub takes the signal before the stream has a position. The end of the first reading must wake it again.
    @Test func aRunningHubTellsWhatCameDuringTheFirstReading() async throws {
        let firsts = HeldCalls<[FirstNews.Asked]>()
        let hub = hub(ScriptedNews(firsts: firsts))
        let running = Task { await hub.run() }
        let ada = try #require(hub.open(person("ada"), known: []))
        let bob = try #require(hub.open(person("bob"), known: []))
        let opening = Task { try await hub.begin(bob.mailbox, known: .nothing) }
        try #require(await firsts.next()).succeed()
        try await opening.valueUnlessCancelled()
        let beginning = Task { try await hub.begin(ada.mailbox, known: .nothing) }
        let first = try #require(await firsts.next())
        hub.receive(.changes(["ada", "bob"].flatMap { [change($0), change($0, kind: .visits)] }))
        // The topics are read last. When Bob has his news, the hub has taken the whole signal.
        while try await next(of: bob) != .topic(0) {}
        first.succeed()
        try await beginning.valueUnlessCancelled()
        // The first event may be told alone, or together with the news.
        while try await next(of: ada) != .inbox(6) {}
        #expect(try await next(of: ada) == .topic(0))
        hub.drain()
        try await running.valueUnlessCancelled()
    }

    @Test func oneQueryReadsForAllStreamsOfAllPeople() async throws {
        let hub = hub()
        let places = [
            try await stream(of: "ada", in: hub), try await stream(of: "ada", in: hub), try await stream(of: "bob", in: hub),
            try await stream(of: "eve", in: hub),
        ]
        hub.receive(.changes([change("ada"), change("bob"), change("ada"), change("nobody here")]))
        await hub.readAll()
        #expect(news.takeQuestions() == [.inboxNews([watcher("ada", at: 5), watcher("bob", at: 5)])])
        for place in places[..<3] { #expect(await told(place) == [.inbox(6)]) }
        #expect(await told(places[3]).isEmpty)
        await hub.readAll()
        #expect(news.takeQuestions().isEmpty)
    }

    @Test func aQueryReadsForABoundedNumberOfPeople() async throws {
        let hub = hub(connections: 10_000)
        var places: [StreamPlace] = []
        for number in 0...APILimits.personsInQuery { places.append(try await stream(of: "\(number)", in: hub)) }
        hub.receive(.changes((0...APILimits.personsInQuery).map { change("\($0)") }))
        await hub.readAll()
        let sizes = news.takeQuestions().map { question -> Int in
            if case .inboxNews(let watchers) = question { watchers.count } else { 0 }
        }
        #expect(sizes == [APILimits.personsInQuery, 1])
        for place in places { #expect(await told(place) == [.inbox(6)]) }
    }

    @Test func aPersonWithoutAStreamCostsNoQuery() async throws {
        let hub = hub()
        let ada = try await stream(of: "ada", in: hub)
        ada.end()
        hub.receive(.changes([change("ada"), change("ada", kind: .visits)]))
        await hub.readAll()
        #expect(news.takeQuestions().isEmpty && metrics.apiStreams.value == 0)
    }

    @Test func aTopicThatNoModuleHasIsIgnored() async throws {
        let hub = hub()
        let ada = try await stream(of: "ada", in: hub)
        hub.receive(.changes([change("ada", kind: .dreams)]))
        await hub.readAll()
        #expect(news.takeQuestions().isEmpty)
        #expect(await told(ada).isEmpty)
    }

    /// The item of a topic, as that of a like, comes with a signal of the inbox alone.
    @Test func aNewItemMayBeThatOfATopic() async throws {
        let hub = hub()
        let ada = try await stream(of: "ada", in: hub)
        let marks = ada.mailbox.marks
        news.write { $0.new = 2 }
        hub.receive(.changes([change("ada", new: [NotificationID(high: 1, low: 1)])]))
        await hub.readAll()
        #expect(news.takeQuestions() == [.inboxNews([watcher("ada", at: 5)]), .news(Set(marks))])
        #expect(await told(ada) == [.inbox(6), .topic(2)])
    }

    /// The first event was read before the change. Without another reading, the stream would learn of it only by a look.
    @Test func aSignalDuringTheFirstReadingIsNotLost() async throws {
        let firsts = HeldCalls<[FirstNews.Asked]>()
        let news = ScriptedNews(firsts: firsts)
        let hub = hub(news)
        let place = try #require(hub.open(person("ada"), known: []))
        let beginning = Task { try await hub.begin(place.mailbox, known: .nothing) }
        let first = try #require(await firsts.next())
        hub.receive(.changes([change("ada"), change("ada", kind: .visits)]))
        await hub.readAll()
        #expect(news.takeQuestions().isEmpty, "there is no position yet")
        first.succeed()
        try await beginning.valueUnlessCancelled()
        await hub.readAll()
        #expect(await told(place) == [.inbox(6), .topic(0)])
    }

    @Test func changesAreAnnouncedByTheirKind() {
        let signals = Mutex<[InboxSignal.Person]>([])
        let hub = hub { people in signals.withLock { $0 += people } }
        let id = NotificationID(high: 1, low: 1)
        hub.announce(person("ada"), changed: [id])
        hub.announce(ScriptedNews.topic, of: [person("bob"), person("eve")])
        // No module has this topic.
        hub.announce("dreams", of: [person("ada")])
        let expected = [
            InboxSignal.Person(tenant: "t", recipient: "ada", changed: [id]), change("bob", kind: .visits), change("eve", kind: .visits),
        ]
        #expect(signals.withLock(\.self) == expected)
    }

    // MARK: The database is away

    @Test func newsThatCouldNotBeReadAreReadLater() async throws {
        let hub = hub()
        let ada = try await stream(of: "ada", in: hub)
        let asked = [ScriptedNews.Question.inboxNews([watcher("ada", at: 5)])]
        news.write { $0.isAway = true }
        hub.receive(.changes([change("ada")]))
        await hub.readAll()
        #expect(news.takeQuestions() == asked, "one try")
        #expect(await told(ada).isEmpty)
        news.write { $0.isAway = false }
        await hub.readAll()
        #expect(news.takeQuestions() == asked)
        #expect(await told(ada) == [.inbox(6)])
    }

    /// A change of an older thing, such as a match, is no new thing, so the number of new things alone would not tell it.
    @Test func aChangedThingIsToldAfterAFailure() async throws {
        let hub = hub()
        let ada = try await stream(of: "ada", in: hub)
        news.write { $0.isAway = true }
        hub.receive(.changes([change("ada", kind: .visits)]))
        await hub.readAll()
        #expect(await told(ada).isEmpty)
        news.write { $0.isAway = false }
        await hub.readAll()
        #expect(await told(ada) == [.topic(0)])
    }

    // MARK: Looks

    @Test func aGapLooksAtEveryStreamAndTellsThoseWithNews() async throws {
        let hub = hub()
        let (ada, bob) = (try await stream(of: "ada", in: hub), try await stream(of: "bob", in: hub))
        let opening = try #require(hub.open(person("eve"), known: []))
        let changed = [person("bob")]
        news.write { $0.changed = changed }
        hub.receive(.gap)
        await hub.readAll()
        let questions = news.takeQuestions()
        let looks = questions.compactMap { question -> Set<InboxWatcher>? in
            if case .changedInboxes(let watchers) = question { watchers } else { nil }
        }
        #expect(looks.reduce(into: Set<InboxWatcher>()) { $0.formUnion($1) } == [watcher("ada", at: 5), watcher("bob", at: 5)])
        #expect(questions.contains(.inboxNews([watcher("bob", at: 5)])) && !questions.contains(.inboxNews([watcher("ada", at: 5)])))
        #expect(await told(ada).isEmpty)
        #expect(await told(bob) == [.inbox(6)])
        #expect(await told(opening).isEmpty)
    }

    @Test func aGapTellsOfNewsWhoseSignalWasLost() async throws {
        let hub = hub()
        let ada = try await stream(of: "ada", in: hub)
        let marks = Set(ada.mailbox.marks)
        let withNews = [person("ada")]
        news.write { script in
            script.withNews = withNews
            script.new = 1
        }
        hub.receive(.gap)
        await hub.readAll()
        let questions: [ScriptedNews.Question] = [.changedInboxes([watcher("ada", at: 5)]), .peopleWithNews(marks), .news(marks)]
        #expect(news.takeQuestions() == questions)
        #expect(await told(ada) == [.topic(1)])
    }

    @Test func aLookThatFailedIsRepeated() async throws {
        let hub = hub()
        let ada = try await stream(of: "ada", in: hub)
        let look = ScriptedNews.Question.changedInboxes([watcher("ada", at: 5)])
        let changed = [person("ada")]
        news.write { script in
            script.isAway = true
            script.changed = changed
        }
        hub.receive(.gap)
        await hub.readAll()
        #expect(news.takeQuestions() == [look], "the other looks wait for the next signal")
        news.write { $0.isAway = false }
        await hub.readAll()
        #expect(news.takeQuestions().contains(look))
        #expect(await told(ada) == [.inbox(6)])
    }

    // MARK: Places

    @Test func theOldestStreamOfAPersonGivesWay() async throws {
        let hub = hub()
        var places: [StreamPlace] = []
        for _ in 0...APILimits.streamsPerPerson { places.append(try #require(hub.open(person("ada"), known: []))) }
        #expect(await hasEnded(places[0]))
        for place in places.dropFirst() { #expect(await hasEnded(place) == false) }
        #expect(metrics.apiStreams.value == APILimits.streamsPerPerson)
        places[0].end()
        #expect(metrics.apiStreams.value == APILimits.streamsPerPerson, "its place was free already")
        places = []
        #expect(metrics.apiStreams.value == 0)
    }

    @Test func aTenantThatFillsTheProcessGivesWay() async throws {
        let hub = hub(connections: 8)
        let crowd = try (0..<7).map { try #require(hub.open(person("\($0)", of: "acme"), known: [])) }
        let other = try #require(hub.open(person("ada", of: "globex"), known: []))
        var ended = 0
        for place in crowd { if await hasEnded(place) { ended += 1 } }
        #expect(ended == 1 && metrics.apiStreams.value == 7)
        #expect(await hasEnded(other) == false)
    }

    @Test func theStopEndsEveryStreamAndOpensNone() async throws {
        let hub = hub()
        let running = Task { await hub.run() }
        let (ada, bob) = (try await stream(of: "ada", in: hub), try await stream(of: "bob", in: hub))
        hub.drain()
        try await running.valueUnlessCancelled()
        #expect(await hasEnded(ada))
        #expect(await hasEnded(bob))
        #expect(hub.open(person("eve"), known: []) == nil)
    }
}

extension InboxSignal.Kind {
    /// The topic of the script.
    fileprivate static let visits = InboxSignal.Kind(rawValue: ScriptedNews.topic) ?? .inbox
    fileprivate static let dreams = InboxSignal.Kind(rawValue: "dreams") ?? .inbox
}
