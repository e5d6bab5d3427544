/// The check of Apple's service on an `apns-collapse-id`, which Firebase, Braze and Airship pass on.
enum CollapseID {
    /// The most bytes.
    static let longest = 64

    /// Whether Apple takes the id: 1 to 64 bytes of an HTTP header, so without control characters.
    static func isAccepted(_ id: String) -> Bool {
        (1...longest).contains(id.utf8.count) && id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
