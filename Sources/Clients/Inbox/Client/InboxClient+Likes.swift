/// Likes and unblur.
extension InboxClient {
    public func features() async throws(InboxError) -> Features {
        try await answer(Endpoint("GET", "configuration", "features"))
    }

    /// Returns a page of likes, newest first.
    ///
    /// - Parameter cursor: Nil for the first page, then ``LikesPage/nextCursor``.
    public func likes(limit: Int = 20, cursor: String? = nil) async throws(InboxError) -> LikesPage {
        try await answer(Endpoint("GET", "likes").asking("limit", String(limit)).asking("cursor", cursor))
    }

    /// Returns every like that is newer than one, whatever the limit. With ``LikesPage/resetRequired`` the page is the latest batch instead.
    public func likes(limit: Int = 20, since id: String) async throws(InboxError) -> LikesPage {
        try await answer(Endpoint("GET", "likes").asking("limit", String(limit)).asking("since_id", id))
    }

    /// Answers a like. To answer twice is harmless.
    public func act(_ action: LikeAction, on userID: String) async throws(InboxError) {
        _ = try await response(Endpoint("POST", "likes", userID, "action").sending(["action": action]))
    }

    /// Starts the unblur, or returns the one that runs.
    public func startUnblur() async throws(InboxError) -> UnblurTimer {
        try await unblur(Endpoint("POST", "unblur", "start"))
    }

    public func unblurState() async throws(InboxError) -> UnblurTimer {
        try await unblur(Endpoint("GET", "unblur", "state"))
    }

    /// The state with the difference of the clocks, from the header `Date` of the same answer.
    private func unblur(_ endpoint: Endpoint) async throws(InboxError) -> UnblurTimer {
        let sentAt = environment.now()
        let response = try await response(endpoint)
        let state = try Self.decode(UnblurState.self, from: response)
        let clock = ServerClock(dateHeader: response.headers["date"], sentAt: sentAt, receivedAt: environment.now())
        return UnblurTimer(state: state, clock: clock ?? .same)
    }
}
