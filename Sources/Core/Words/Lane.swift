/// One of two separate roads from intake to provider, so that a campaign of a million never delays a password reset.
public enum Lane: String, CaseIterable, Sendable, Hashable {
    /// Few and waited for.
    case urgent
    /// Many and patient; yields to urgent.
    case bulk
}
