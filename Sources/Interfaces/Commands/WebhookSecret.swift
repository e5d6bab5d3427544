import TidingsEncodings
import TidingsServer

/// The secret that signs the messages of a person's webhook, as a command gets it.
enum WebhookSecret {
    /// Returns the secret at a place that an option names.
    static func read(_ reference: String, option: String) throws -> String {
        let value: String? =
            if reference.hasPrefix("env:") {
                Settings.processEnvironment()[String(reference.dropFirst(4))]
            } else if reference.hasPrefix("file:") {
                readFile(String(reference.dropFirst(5)))
            } else {
                throw Failure(.usage, "\(option) takes env:NAME or file:PATH, so that no secret is seen in a process list")
            }
        guard let value else { throw Failure(.data, "\(reference) cannot be read") }
        let secret = value.filter { !$0.isWhitespace }
        guard secret.hasPrefix("whsec_"), let key = Base64.decode(String(secret.dropFirst(6))), (24...64).contains(key.count) else {
            throw Failure(.data, "\(reference) is no whsec_ secret of 24 to 64 bytes")
        }
        return secret
    }
}
