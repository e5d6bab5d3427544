package import TidingsCore

/// A like in the list of the person who is liked.
package struct Like: Sendable, Hashable {
    /// The liker.
    package var id: String
    package var name: String?
    package var photoURL: String?
    package var status: Status
    /// The time at which the first like of this liker was routed.
    package var createdAt: Timestamp
    package var serverIsBlurred: Bool

    /// The raw values are those that apps read.
    package enum Status: Int16, Sendable, Hashable, CaseIterable {
        case incoming = 0
        /// The two are a match.
        case mutual = 1
        /// The person has passed. The own answer counts more than the match.
        case passed = 2
    }
}
