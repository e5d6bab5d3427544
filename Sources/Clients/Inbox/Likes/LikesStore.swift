import Foundation

/// The likes as an app shows them.
public struct LikesState: Hashable, Sendable {
    public enum Status: Hashable, Sendable {
        case idle, loading, loaded, failed
    }

    public var status: Status = .idle
    /// Newest first.
    public var likes: [Like] = []
    public var canLoadMore = false
    /// The error of the last load or action. The next success clears it.
    public var error: InboxError?

    public init() {}
}

/// The likes that an app observes. An actor: calls of one store follow each other only until their requests, so pages carry a number.
public actor LikesStore {
    private let client: InboxClient
    private let pageSize: Int
    private var list = LikeList()
    private var status: LikesState.Status = .idle
    private var error: InboxError?
    /// Grows when the list is replaced: a page of the list before is dropped.
    private var generation = 0
    private var isLoadingMore = false
    /// Actions that the server has not answered yet, by the person's id, each with its number.
    private var pending: [String: (number: Int, action: LikeAction)] = [:]
    private var lastNumber = 0
    /// Whether an action is on its way. Later actions wait in the order of their calls: the last answer to a like must be the last to arrive.
    private var isSending = false
    private var turns: [CheckedContinuation<Void, Never>] = []
    private var observers: [Int: AsyncStream<LikesState>.Continuation] = [:]

    /// - Parameter pageSize: Likes of a page, 1 to 100.
    public init(client: InboxClient, pageSize: Int = 20) {
        self.client = client
        self.pageSize = max(1, min(100, pageSize))
    }

    public var state: LikesState {
        var state = LikesState()
        state.status = status
        state.likes = list.likes.map { like in
            guard let action = pending[like.id]?.action else { return like }
            var like = like
            like.status = action.status
            return like
        }
        state.canLoadMore = list.nextCursor != nil
        state.error = error
        return state
    }

    /// The present state and every later one. A slow reader gets the newest and misses those between.
    public func states() -> AsyncStream<LikesState> {
        let (states, observer) = AsyncStream.makeStream(of: LikesState.self, bufferingPolicy: .bufferingNewest(1))
        lastNumber += 1
        observers[lastNumber] = observer
        observer.yield(state)
        return states
    }

    private func publish() {
        let state = self.state
        for (number, observer) in observers {
            if case .terminated = observer.yield(state) { observers[number] = nil }
        }
    }

    /// Loads the first page in the place of the list.
    public func load() async {
        generation += 1
        let own = generation
        status = .loading
        publish()
        await take(of: own) { () throws(InboxError) in
            try await client.likes(limit: pageSize)
        } into: {
            $0.replace(with: $1)
        }
    }

    /// Adds the next older page.
    public func loadMore() async {
        guard let cursor = list.nextCursor, !isLoadingMore else { return }
        isLoadingMore = true
        await take(of: generation) { () throws(InboxError) in
            try await client.likes(limit: pageSize, cursor: cursor)
        } into: {
            $0.addOlder($1)
        }
        isLoadingMore = false
    }

    /// Puts newer likes in front, or replaces the list if the server says so. After this call the app sends ``InboxAction/likesSeen``.
    public func synchronise() async {
        guard let newest = list.newestID else { return await load() }
        await take(of: generation) { () throws(InboxError) in
            try await client.likes(limit: pageSize, since: newest)
        } into: { list, page in
            if page.resetRequired { self.generation += 1 }
            list.addNewer(page)
        }
    }

    /// Answers a like. The answer is shown at once, and taken back if the server refuses it. Answers are sent one after the other.
    public func act(_ action: LikeAction, on userID: String) async {
        lastNumber += 1
        let number = lastNumber
        pending[userID] = (number, action)
        publish()
        await takeTurn()
        do throws(InboxError) {
            try await client.act(action, on: userID)
            error = nil
            list.set(action.status, of: userID)
        } catch {
            self.error = error
        }
        // A newer action on the same like is still on its way, and stays shown.
        if pending[userID]?.number == number { pending[userID] = nil }
        endTurn()
        publish()
    }

    private func takeTurn() async {
        guard isSending else {
            isSending = true
            return
        }
        await withCheckedContinuation { turns.append($0) }
    }

    private func endTurn() {
        if turns.isEmpty { isSending = false } else { turns.removeFirst().resume() }
    }

    private func take(
        of own: Int, _ page: () async throws(InboxError) -> LikesPage, into list: (inout LikeList, LikesPage) -> Void
    ) async {
        do throws(InboxError) {
            let page = try await page()
            guard own == generation else { return }
            list(&self.list, page)
            error = nil
            status = .loaded
        } catch {
            guard own == generation else { return }
            self.error = error
            if status == .loading { status = .failed }
        }
        publish()
    }
}

extension LikeAction {
    /// The status of a like that the person answered this way.
    var status: Like.Status { self == .like ? .mutual : .passed }
}
