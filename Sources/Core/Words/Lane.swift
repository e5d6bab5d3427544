/// One of two separate paths from intake to provider. They are separate so that a campaign of a million never delays a password reset.
public enum Lane: String, CaseIterable, Sendable, Hashable {
    /// Few notifications, for which people wait.
    case urgent
    /// Many notifications, for which no person waits. This lane yields to `urgent`.
    case bulk
}
