import Logging
import Synchronization
import TidingsContracts
import TidingsCore
import TidingsMetrics
import TidingsPipeline
import TidingsStore

/// The open event streams of this process, and the reading of the news for them.
///
/// A signal names persons whose inbox changed. The hub reads everything that changed since the position up to which each of their streams has
/// been told, for many streams in one query. So an event has the ids of all changes, also of those whose signal was lost.
///
/// A signal may be lost. Therefore a query finds, for each stream once in ``APILimits/healing``, whether its person's inbox has another
/// position than the stream. A stream whose inbox has not changed is told nothing.
///
/// Streams take turns (``StreamTurns``) with these looks and with heartbeats: ten thousand streams that work at one moment delay the news.
final class StreamHub: Sendable {
    private struct State {
        /// The streams of each person.
        var streams: [RecipientKey: [Int: StreamMailbox]] = [:]
        var shares: StreamShares
        var lastNumber = 0
        /// Persons whose inbox may have changed.
        var inboxes: Set<RecipientKey> = []
        /// For each topic, the persons whose news must be counted. True if an older thing is known to have changed, so that their streams
        /// are told even if nothing is new.
        var news: [[RecipientKey: Bool]]
        /// The turns whose streams must be looked after, because signals may have been missed.
        var turnsToLookAt: Set<Int> = []
        var isDraining = false

        init(connections: Int, topics: Int) {
            shares = StreamShares(connections: connections)
            news = Array(repeating: [:], count: topics)
        }

        /// Notes that the news of a topic must be counted for a person.
        mutating func note(_ topic: Int, of person: RecipientKey, isChanged: Bool) {
            news[topic][person] = isChanged || news[topic][person] == true
        }

        mutating func add(_ mailbox: StreamMailbox) {
            streams[mailbox.person, default: [:]][mailbox.number] = mailbox
            shares.begin(mailbox.person)
        }

        /// Nil if the stream has ended already.
        mutating func remove(_ number: Int, of person: RecipientKey) -> StreamMailbox? {
            guard let mailbox = streams[person]?.removeValue(forKey: number) else { return nil }
            let isLast = streams[person]?.isEmpty == true
            if isLast { streams[person] = nil }
            shares.end(person, isLast: isLast)
            return mailbox
        }

        /// Takes out the oldest stream of a person.
        mutating func removeOldest(of person: RecipientKey) -> StreamMailbox? {
            guard let oldest = streams[person]?.keys.min() else { return nil }
            return remove(oldest, of: person)
        }
    }

    private let news: any StreamNews
    /// The names of the topics of which streams tell. The place of a topic in this list identifies it in the state.
    let topics: [String]
    private let firstNews: FirstNews.Desk
    private let signal: @Sendable ([InboxSignal.Person]) -> Void
    private let openStreams: Gauge
    private let progress: ProgressWatch
    private let turnLength: Duration
    private let logger: Logger
    private let state: Mutex<State>
    private let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - connections: the connections of the process.
    ///   - turnLength: the time between two turns with heartbeats and looks.
    ///   - signal: tells every process of changes. It must not wait.
    init(
        news: any StreamNews, connections: Int, metrics: Metrics, progress: ProgressWatch, turnLength: Duration = StreamTurns.length,
        logger: Logger, signal: @escaping @Sendable ([InboxSignal.Person]) -> Void
    ) {
        state = Mutex(State(connections: connections, topics: news.topics.count))
        self.news = news
        topics = news.topics
        self.progress = progress
        self.turnLength = turnLength
        self.signal = signal
        openStreams = metrics.apiStreams
        self.logger = logger
        firstNews = FirstNews.Desk(news, connections: connections)
        (wake, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Streams

    /// Opens a mailbox for a stream, as long as its place lives. Nil while the process stops.
    ///
    /// If the person has too many streams, the oldest is told to reconnect. It may be one whose client is gone. If the process is nearly full,
    /// a stream of the tenant with the most streams is told to reconnect (``StreamShares``).
    ///
    /// - Parameter known: the positions of the topics that the client knows.
    func open(_ person: RecipientKey, known: [Int64?]) -> StreamPlace? {
        let (mailbox, ending) = state.withLock { state -> (StreamMailbox?, [StreamMailbox]) in
            guard !state.isDraining else { return (nil, []) }
            state.lastNumber += 1
            let mailbox = StreamMailbox(person: person, number: state.lastNumber, topics: topics, known: known)
            state.add(mailbox)
            var ending: [StreamMailbox] = []
            if state.streams[person]?.count ?? 0 > APILimits.streamsPerPerson, let oldest = state.removeOldest(of: person) {
                ending.append(oldest)
            }
            if let other = state.shares.givingWay, let oldest = state.removeOldest(of: other) { ending.append(oldest) }
            openStreams.add(1 - ending.count)
            return (mailbox, ending)
        }
        for other in ending { other.end() }
        return mailbox.map { StreamPlace($0, in: self) }
    }

    /// Gives a stream its first event. Throws the error of the database if it cannot be read, or a problem if too many openings wait.
    ///
    /// - Parameter known: the part of the inbox that the client knows.
    func begin(_ mailbox: StreamMailbox, known: InboxWatcher.Known) async throws {
        let watcher = InboxWatcher(mailbox.person, known: known)
        let first = try await firstNews.news(of: FirstNews.Asked(watcher: watcher, marks: mailbox.marks))
        for (topic, news) in first.topics.enumerated() { mailbox.put(news, of: topic) }
        let missed = mailbox.begin(InboxEvent(first.inbox))
        guard missed != StreamMailbox.Missed() else { return }
        state.withLock { state in
            if missed.inbox { state.inboxes.insert(mailbox.person) }
            for (topic, isChanged) in missed.topics { state.note(topic, of: mailbox.person, isChanged: isChanged) }
        }
        waker.yield()
    }

    /// Closes a mailbox. Does nothing if it is closed already.
    func close(_ mailbox: StreamMailbox) {
        state.withLock { state in
            if state.remove(mailbox.number, of: mailbox.person) != nil { openStreams.add(-1) }
        }
    }

    /// Tells every stream to reconnect, and opens no more.
    func drain() {
        let open = state.withLock { state in
            state.isDraining = true
            return state.streams.values.flatMap(\.values)
        }
        for mailbox in open { mailbox.end() }
        waker.finish()
    }

    // MARK: Changes

    /// Tells every process, also this one, that a person changed items.
    func announce(_ person: RecipientKey, changed: [NotificationID]) {
        signal([InboxSignal.Person(tenant: person.tenant, recipient: person.id, changed: changed)])
    }

    /// Tells every process, also this one, that these persons' things of a topic changed. Does nothing for a name that is no topic's.
    func announce(_ topic: String, of persons: [RecipientKey]) {
        guard topics.contains(topic), let kind = InboxSignal.Kind(rawValue: topic) else { return }
        signal(persons.map { InboxSignal.Person(tenant: $0.tenant, recipient: $0.id, kind: kind) })
    }

    /// Receives an event of the feed of signals. Persons without a stream here cost a look-up.
    func receive(_ event: SignalFeed.Event) {
        switch event {
        case .gap: lookForChanges()
        case .changes(let people):
            let isNews = state.withLock { state in people.reduce(false) { self.note($1, in: &state) || $0 } }
            if isNews { waker.yield() }
        }
    }

    private func note(_ change: InboxSignal.Person, in state: inout State) -> Bool {
        let person = RecipientKey(tenant: change.tenant, id: change.recipient)
        guard state.streams[person] != nil else { return false }
        if change.kind == .inbox {
            state.inboxes.insert(person)
            // The new item may be that of a topic.
            if !change.new.isEmpty { for topic in topics.indices { state.note(topic, of: person, isChanged: false) } }
            return true
        }
        guard let topic = topics.firstIndex(of: change.kind.rawValue) else { return false }
        state.note(topic, of: person, isChanged: true)
        return true
    }

    /// Looks for changes whose signal may have been missed.
    ///
    /// - Parameter turns: the turns whose streams are looked after.
    func lookForChanges(of turns: Range<Int> = 0..<StreamTurns.ofHealing) {
        state.withLock { $0.turnsToLookAt.formUnion(turns) }
        waker.yield()
    }

    // MARK: Work

    /// Works until ``drain()``, or until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            // The heartbeats and the looks, beside the reading of news. Cancelled when that ends.
            group.addTask { await self.tick() }
            for await _ in wake { await progress.during("news of streams") { await readAll() } }
            group.cancelAll()
        }
    }

    private func tick() async {
        var turns = StreamTurns()
        while !Task.isCancelled {
            // Time itself is awaited. Cancelled at the end of the work.
            try? await Task.sleep(for: turnLength)
            turns.next()
            for mailbox in mailboxes(where: { turns.isHeartbeat(of: $0) }) { mailbox.beat() }
            lookForChanges(of: turns.healing..<turns.healing + 1)
        }
    }

    private func mailboxes(where isAsked: (Int) -> Bool) -> [StreamMailbox] {
        state.withLock { state in state.streams.values.flatMap { streams in streams.values.filter { isAsked($0.number) } } }
    }

    /// Reads what is due, and tells the streams. News are read between the looks of two turns.
    func readAll() async {
        var isReachable = true
        repeat {
            if let turn = state.withLock({ $0.turnsToLookAt.popFirst() }) { isReachable = await findChanges(in: turn) }
            await readInboxes()
            for topic in topics.indices { await readNews(of: topic) }
        } while isReachable && state.withLock { !$0.turnsToLookAt.isEmpty }
    }

    /// Finds the persons of the streams of a turn whose inbox or topics are further than their streams.
    ///
    /// - Returns: Whether they could be looked for.
    private func findChanges(in turn: Int) async -> Bool {
        let mailboxes = mailboxes { StreamTurns.healing(of: $0) == turn }
        guard !mailboxes.isEmpty else { return true }
        // A stream without a position reads its first event right now.
        let watchers = Set(
            mailboxes.compactMap { mailbox in
                mailbox.position.map { InboxWatcher(mailbox.person, known: .position($0)) }
            })
        do {
            let inboxes = try await news.changedInboxes(since: Array(watchers))
            var people: [[RecipientKey]] = []
            for topic in topics.indices {
                people.append(try await news.people(withNewsOf: topic, since: mailboxes.map { $0.marks[topic] }))
            }
            state.withLock { state in
                state.inboxes.formUnion(inboxes)
                for (topic, people) in people.enumerated() {
                    for person in people { state.note(topic, of: person, isChanged: false) }
                }
            }
            return true
        } catch {
            // The next signal or look tries again.
            state.withLock { _ = $0.turnsToLookAt.insert(turn) }
            logger.warning("cannot look for changes of streams", metadata: ["streams": "\(mailboxes.count)", "error": "\(error)"])
            return false
        }
    }

    private func readInboxes() async {
        while true {
            let (part, mailboxes) = state.withLock { state in
                let part = Array(state.inboxes.prefix(APILimits.personsInQuery))
                state.inboxes.subtract(part)
                return (part, part.flatMap { person in (state.streams[person] ?? [:]).values })
            }
            guard !part.isEmpty else { return }
            var waiting: [InboxWatcher: [StreamMailbox]] = [:]
            for mailbox in mailboxes {
                guard let position = mailbox.positionForNews() else { continue }
                waiting[InboxWatcher(mailbox.person, known: .position(position)), default: []].append(mailbox)
            }
            let watchers = Array(waiting.keys)
            do {
                let news = try await news.inboxNews(of: watchers)
                for (watcher, news) in zip(watchers, news) {
                    let event = InboxEvent(news)
                    for mailbox in waiting[watcher] ?? [] { mailbox.put(event) }
                }
            } catch {
                // The next signal or look tries again, and nothing is lost: the streams keep their positions.
                state.withLock { $0.inboxes.formUnion(part) }
                logger.warning("cannot read the news of streams", metadata: ["persons": "\(part.count)", "error": "\(error)"])
                return
            }
        }
    }

    private func readNews(of topic: Int) async {
        while true {
            let (part, told) = state.withLock { state in
                let part = Array(state.news[topic].prefix(APILimits.personsInQuery))
                for (person, _) in part { state.news[topic][person] = nil }
                return (part, part.flatMap { person, isChanged in (state.streams[person] ?? [:]).values.map { ($0, isChanged) } })
            }
            guard !part.isEmpty else { return }
            let asked = told.compactMap { mailbox, isChanged in
                mailbox.markForNews(of: topic, isChanged: isChanged).map { (mailbox: mailbox, mark: $0, isChanged: isChanged) }
            }
            do {
                let counted = try await news.news(of: topic, since: asked.map(\.mark))
                for (one, news) in zip(asked, counted) { one.mailbox.put(news, of: topic, isChanged: one.isChanged) }
            } catch {
                // The next signal or look tries again.
                state.withLock { state in
                    for (person, isChanged) in part { state.note(topic, of: person, isChanged: isChanged) }
                }
                logger.warning(
                    "cannot count the news of a topic of streams",
                    metadata: ["topic": "\(topics[topic])", "persons": "\(part.count)", "error": "\(error)"])
                return
            }
        }
    }
}
