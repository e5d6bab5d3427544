/// Preferences.
extension InboxClient {
    public func preferences() async throws(InboxError) -> Preferences {
        try await answer(Endpoint("GET", "api", "preferences"))
    }

    /// Replaces every preference. Returns them as the server stored them.
    @discardableResult public func setPreferences(_ preferences: Preferences) async throws(InboxError) -> Preferences {
        try await answer(Endpoint("PUT", "api", "preferences").sending(preferences))
    }
}
