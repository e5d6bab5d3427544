/// Preferences.
extension InboxClient {
    public func preferences() async throws(InboxError) -> Preferences {
        try await answer(Endpoint("GET", "api", "preferences"))
    }

    /// Replaces every preference. Returns them as the server stored them.
    ///
    /// The server refuses a type that its catalogue does not have. Change what ``preferences()`` returned a moment ago.
    @discardableResult public func setPreferences(_ preferences: Preferences) async throws(InboxError) -> Preferences {
        try await answer(Endpoint("PUT", "api", "preferences").sending(preferences))
    }
}
