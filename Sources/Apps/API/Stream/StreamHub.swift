import Logging
import Synchronization
import TidingsContracts
import TidingsCore
import TidingsLikes
import TidingsMetrics
import TidingsPipeline
import TidingsStore

/// The open event streams of this process, and what each is told.
///
/// A signal names persons whose inbox changed. The hub reads the counts of all of them in one query and puts them into the mailbox of each
/// stream. A signal may be missed, so every ``APILimits/healing`` the hub looks at the counts of every connected person. A stream is told
/// nothing that it knows, and a change without a signal only when the look after the next heartbeat finds it again.
final class StreamHub: Sendable {
    private struct State {
        /// The streams of each person.
        var streams: [RecipientKey: [Int: StreamMailbox]] = [:]
        var lastNumber = 0
        /// Persons whose counts must be read, with the changed ids.
        var dirty: [RecipientKey: ChangedIDs] = [:]
        /// Persons whose counts must be looked at, although no signal came.
        var looks: Set<RecipientKey> = []
        /// Persons with a change that a look found and no stream was told.
        var doubtful: Set<RecipientKey> = []
        /// Persons whose new likes must be counted. True if their likes are known to have changed, so that their streams are told even if no
        /// like is new.
        var liked: [RecipientKey: Bool] = [:]
        var isDraining = false
    }

    private let store: Store
    private let likes: Likes
    private let signals: InboxSignals
    private let openStreams: Gauge
    private let logger: Logger
    private let state = Mutex(State())
    private let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    init(store: Store, signals: InboxSignals, metrics: Metrics, logger: Logger) {
        self.store = store
        self.signals = signals
        openStreams = metrics.apiStreams
        self.logger = logger
        likes = Likes(store: store)
        (wake, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    // MARK: Streams

    /// Opens a mailbox for a stream, as long as its place lives. Nil while the process stops.
    ///
    /// If the person has too many streams, the oldest is told to reconnect. It may be one whose client is gone.
    func open(_ person: RecipientKey) -> StreamPlace? {
        let (mailbox, oldest) = state.withLock { state -> (StreamMailbox?, StreamMailbox?) in
            guard !state.isDraining else { return (nil, nil) }
            state.lastNumber += 1
            let mailbox = StreamMailbox(person: person, number: state.lastNumber)
            state.streams[person, default: [:]][mailbox.number] = mailbox
            openStreams.add(1)
            return (mailbox, Self.takeOldest(of: person, from: &state, openStreams))
        }
        oldest?.end()
        return mailbox.map { StreamPlace($0, in: self) }
    }

    /// Takes a person's oldest stream out, if the person has more than ``APILimits/streamsPerPerson``.
    private static func takeOldest(of person: RecipientKey, from state: inout State, _ openStreams: Gauge) -> StreamMailbox? {
        guard let streams = state.streams[person], streams.count > APILimits.streamsPerPerson, let number = streams.keys.min() else {
            return nil
        }
        openStreams.add(-1)
        return state.streams[person]?.removeValue(forKey: number)
    }

    /// Closes a mailbox. Does nothing if it is closed already.
    func close(_ mailbox: StreamMailbox) {
        state.withLock { state in
            guard state.streams[mailbox.person]?.removeValue(forKey: mailbox.number) != nil else { return }
            if state.streams[mailbox.person]?.isEmpty == true { state.streams[mailbox.person] = nil }
            openStreams.add(-1)
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
        signals.announce([InboxSignal.Person(tenant: person.tenant, recipient: person.id, changed: changed)])
    }

    /// Tells every process, also this one, that the likes of these persons changed.
    func announceLikes(of persons: [RecipientKey]) {
        signals.announce(persons.map { InboxSignal.Person(tenant: $0.tenant, recipient: $0.id, kind: .likes) })
    }

    /// Takes an event of the feed of signals. Persons without a stream here cost a look-up.
    func take(_ event: SignalFeed.Event) {
        switch event {
        case .gap: missedSignals()
        case .changes(let people):
            let isNews = state.withLock { state in people.reduce(false) { Self.note($1, in: &state) || $0 } }
            if isNews { waker.yield() }
        }
    }

    private static func note(_ change: InboxSignal.Person, in state: inout State) -> Bool {
        let person = RecipientKey(tenant: change.tenant, id: change.recipient)
        guard state.streams[person] != nil else { return false }
        switch change.kind {
        case .inbox:
            state.dirty[person, default: ChangedIDs()].add(new: change.new, changed: change.changed)
            // The new item may be that of a like.
            if !change.new.isEmpty { state.liked[person] = state.liked[person] ?? false }
        case .likes: state.liked[person] = true
        }
        return true
    }

    /// Signals were lost: every person's streams are told of the changes that no event has told.
    private func missedSignals() {
        state.withLock { state in
            for person in state.streams.keys {
                state.dirty[person, default: ChangedIDs()].add(new: [], changed: [])
                state.liked[person] = state.liked[person] ?? false
            }
        }
        waker.yield()
    }

    /// Looks at every connected person, because a signal may have been missed.
    func lookAtAll() {
        state.withLock { state in
            state.looks.formUnion(state.streams.keys)
            for person in state.streams.keys { state.liked[person] = state.liked[person] ?? false }
        }
        waker.yield()
    }

    /// Looks once more at the persons with a change that no stream was told.
    func lookAtDoubtful() {
        state.withLock { state in
            state.looks.formUnion(state.doubtful)
            state.doubtful = []
        }
        waker.yield()
    }

    // MARK: Work

    /// Works until ``drain()``, or until the task is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            // The heartbeats and the looks, beside the reading of counts. Cancelled when that ends.
            group.addTask { await self.tick() }
            for await _ in wake { await readAll() }
            group.cancelAll()
        }
    }

    private func tick() async {
        var sinceHealing = Duration.zero
        while !Task.isCancelled {
            // Time itself is awaited. Cancelled at the end of the work.
            try? await Task.sleep(for: APILimits.heartbeat)
            for mailbox in state.withLock({ $0.streams.values.flatMap(\.values) }) { mailbox.beat() }
            sinceHealing += APILimits.heartbeat
            if sinceHealing >= APILimits.healing {
                sinceHealing = .zero
                lookAtAll()
            } else {
                lookAtDoubtful()
            }
        }
    }

    /// Reads what is due, and tells the streams.
    func readAll() async {
        await readCounts()
        await readLooks()
        await readLikes()
    }

    private func readCounts() async {
        while true {
            let part = state.withLock { state in
                let part = state.dirty.prefix(APILimits.personsInQuery)
                for (person, _) in part { state.dirty[person] = nil }
                return Array(part)
            }
            guard !part.isEmpty else { return }
            do {
                let news = try await store.inboxNews(of: part.map { InboxWatcher($0.key) }, limit: 0)
                for ((person, ids), news) in zip(part, news) { tell(person, InboxEvent(news, ids)) }
            } catch {
                // The next look tries again.
                logger.warning("cannot read the counts of streams", metadata: ["persons": "\(part.count)", "error": "\(error)"])
                return
            }
        }
    }

    private func readLooks() async {
        while true {
            let part = state.withLock { state in
                let part = Array(state.looks.prefix(APILimits.personsInQuery))
                state.looks.subtract(part)
                return part
            }
            guard !part.isEmpty else { return }
            do {
                let news = try await store.inboxNews(of: part.map { InboxWatcher($0) }, limit: 0)
                for (person, news) in zip(part, news) {
                    let event = InboxEvent(news, ChangedIDs())
                    // A change that arrives meanwhile is told at once. A later look then finds nothing.
                    let isDoubtful = mailboxes(of: [person]).reduce(false) { $1.look(at: event) || $0 }
                    if isDoubtful { state.withLock { _ = $0.doubtful.insert(person) } }
                }
            } catch {
                // The next look tries again.
                logger.warning("cannot read the counts of streams", metadata: ["persons": "\(part.count)", "error": "\(error)"])
                return
            }
        }
    }

    private func tell(_ person: RecipientKey, _ event: InboxEvent) {
        for mailbox in mailboxes(of: [person]) { mailbox.put(event) }
    }

    private func mailboxes(of persons: [RecipientKey]) -> [StreamMailbox] {
        state.withLock { state in persons.flatMap { state.streams[$0].map { Array($0.values) } ?? [] } }
    }

    private func readLikes() async {
        while true {
            let (part, told) = state.withLock { state in
                let part = Array(state.liked.prefix(APILimits.personsInQuery))
                for (person, _) in part { state.liked[person] = nil }
                return (part, part.flatMap { person, isChanged in (state.streams[person] ?? [:]).values.map { ($0, isChanged) } })
            }
            guard !part.isEmpty else { return }
            do {
                let news = try await likes.news(since: told.map(\.0.likesMark))
                for ((mailbox, isChanged), news) in zip(told, news) { mailbox.put(news, isChanged: isChanged) }
            } catch {
                // The next look tries again.
                logger.warning("cannot count the new likes of streams", metadata: ["persons": "\(part.count)", "error": "\(error)"])
                return
            }
        }
    }
}
