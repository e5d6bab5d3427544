import Logging
import Synchronization
import TidingsContracts
import TidingsCore
import TidingsLikes
import TidingsMetrics
import TidingsPipeline
import TidingsStore

/// The open event streams of this process, and the reading of the news for them.
///
/// A signal names persons whose inbox changed. The hub reads everything that changed since the position up to which each of their streams has
/// been told, for many streams in one query. So an event has the ids of all changes, also of those whose signal was lost.
///
/// A signal may be lost. Therefore one query each ``APILimits/healing`` finds the persons whose inbox has another position than their
/// streams. A stream whose inbox has not changed is told nothing.
final class StreamHub: Sendable {
    private struct State {
        /// The streams of each person.
        var streams: [RecipientKey: [Int: StreamMailbox]] = [:]
        var lastNumber = 0
        /// Persons whose inbox may have changed.
        var inboxes: Set<RecipientKey> = []
        /// Persons whose new likes must be counted. True if their likes are known to have changed, so that their streams are told even if no
        /// like is new.
        var liked: [RecipientKey: Bool] = [:]
        /// Whether changes must be looked for, because signals may have been missed.
        var mustHeal = false
        var isDraining = false
    }

    private let store: Store
    private let likes: Likes
    private let signals: InboxSignals
    private let openStreams: Gauge
    private let progress: ProgressWatch
    private let logger: Logger
    private let state = Mutex(State())
    private let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    init(store: Store, signals: InboxSignals, metrics: Metrics, progress: ProgressWatch, logger: Logger) {
        self.store = store
        self.progress = progress
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
    ///
    /// - Parameter likes: the position of the newest like that the client knows, if it knows one.
    func open(_ person: RecipientKey, likes: Int64? = nil) -> StreamPlace? {
        let (mailbox, oldest) = state.withLock { state -> (StreamMailbox?, StreamMailbox?) in
            guard !state.isDraining else { return (nil, nil) }
            state.lastNumber += 1
            let mailbox = StreamMailbox(person: person, number: state.lastNumber, likes: likes)
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

    /// Gives a stream its first event, which was read after the mailbox was opened.
    func begin(_ mailbox: StreamMailbox, with first: InboxEvent) {
        let missed = mailbox.begin(first)
        guard missed != StreamMailbox.Missed() else { return }
        state.withLock { state in
            if missed.inbox { state.inboxes.insert(mailbox.person) }
            if let isChanged = missed.likes { state.liked[mailbox.person] = isChanged || state.liked[mailbox.person] == true }
        }
        waker.yield()
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
        case .gap: heal()
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
            state.inboxes.insert(person)
            // The new item may be that of a like.
            if !change.new.isEmpty { state.liked[person] = state.liked[person] ?? false }
        case .likes: state.liked[person] = true
        }
        return true
    }

    /// Looks for changes whose signal may have been missed.
    func heal() {
        state.withLock { $0.mustHeal = true }
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
        var sinceHealing = Duration.zero
        while !Task.isCancelled {
            // Time itself is awaited. Cancelled at the end of the work.
            try? await Task.sleep(for: APILimits.heartbeat)
            for mailbox in state.withLock({ $0.streams.values.flatMap(\.values) }) { mailbox.beat() }
            sinceHealing += APILimits.heartbeat
            guard sinceHealing >= APILimits.healing else { continue }
            sinceHealing = .zero
            heal()
        }
    }

    /// Reads what is due, and tells the streams.
    func readAll() async {
        let mustHeal = state.withLock { state in
            defer { state.mustHeal = false }
            return state.mustHeal
        }
        if mustHeal { await findChanges() }
        await readInboxes()
        await readLikes()
    }

    /// Finds the persons whose inbox or likes are further than their streams.
    private func findChanges() async {
        let mailboxes = state.withLock { $0.streams.values.flatMap(\.values) }
        // A stream without a position reads its first event right now.
        let watchers = Set(
            mailboxes.compactMap { mailbox in
                mailbox.position.map { InboxWatcher(mailbox.person, known: .position($0)) }
            })
        do {
            let inboxes = try await store.changedInboxes(since: Array(watchers))
            let liked = try await likes.people(withNewsSince: mailboxes.map(\.likesMark))
            state.withLock { state in
                state.inboxes.formUnion(inboxes)
                for person in liked { state.liked[person] = state.liked[person] ?? false }
            }
        } catch {
            // The next signal or look tries again.
            state.withLock { $0.mustHeal = true }
            logger.warning("cannot look for changes of streams", metadata: ["streams": "\(mailboxes.count)", "error": "\(error)"])
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
                let news = try await store.inboxNews(of: watchers, limit: APILimits.idsInEvent)
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

    private func readLikes() async {
        while true {
            let (part, told) = state.withLock { state in
                let part = Array(state.liked.prefix(APILimits.personsInQuery))
                for (person, _) in part { state.liked[person] = nil }
                return (part, part.flatMap { person, isChanged in (state.streams[person] ?? [:]).values.map { ($0, isChanged) } })
            }
            guard !part.isEmpty else { return }
            let asked = told.compactMap { mailbox, isChanged in
                mailbox.likesForNews(isChanged: isChanged).map { (mailbox: mailbox, mark: $0, isChanged: isChanged) }
            }
            do {
                let news = try await likes.news(since: asked.map(\.mark))
                for (one, news) in zip(asked, news) { one.mailbox.put(news, isChanged: one.isChanged) }
            } catch {
                // The next signal or look tries again.
                state.withLock { state in
                    for (person, isChanged) in part { state.liked[person] = isChanged || state.liked[person] == true }
                }
                logger.warning("cannot count the new likes of streams", metadata: ["persons": "\(part.count)", "error": "\(error)"])
                return
            }
        }
    }
}
