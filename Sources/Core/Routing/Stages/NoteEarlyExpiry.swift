extension Draft {
    /// Notes that a delivery waits at least until it expires: nothing else tells the producer that the person will not see it. A pause does
    /// not count, because an operator may end it at any time. An unknown time zone does not count either, because its end is not known.
    mutating func noteEarlyExpiry() {
        let expiry = question.expiry
        let expiresFirst = candidates.contains { candidate in
            guard case .hold(let until, let reason)? = candidate.verdict else { return false }
            return until >= expiry && reason != .timeZoneUnknown
        }
        if expiresFirst { notes.append(.expiresWhileHeld) }
    }
}
