/// The form of a person's id. Every door that takes an id checks it here: the intake, the paths and tokens of the API, and commands. So no
/// door takes an id that no intent could name. `tidings_api.enqueue` has the same check in SQL.
public enum RecipientForm {
    public enum Fault: Sendable, Hashable, CustomStringConvertible {
        /// Without a byte above 0x20.
        case empty
        case tooLong(bytes: Int, limit: Int)
        /// Below 0x20, or 0x7F.
        case controlCharacter

        /// The end of a sentence that begins with the name of the id.
        public var description: String {
            switch self {
            case .empty: "is empty"
            case .tooLong(let bytes, let limit): "has \(bytes) bytes; at most \(limit) are allowed"
            case .controlCharacter: "holds a control character"
            }
        }
    }

    /// Returns the first fault of an id, or nil.
    public static func fault(in id: String, atMost limit: Int = IntentLimits().maximumRecipientBytes) -> Fault? {
        guard id.utf8.contains(where: { $0 > 0x20 }) else { return .empty }
        guard id.utf8.count <= limit else { return .tooLong(bytes: id.utf8.count, limit: limit) }
        return id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? nil : .controlCharacter
    }
}
