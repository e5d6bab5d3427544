extension Draft {
    /// Ends every candidate as expired if the notification is no longer worth sending.
    mutating func dropExpired() {
        guard question.expiry <= question.now else { return }
        settle { _ in .notSent(state: .expired, reason: .expired) }
    }
}
