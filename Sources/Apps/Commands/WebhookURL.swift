import TidingsHTTP

/// Checks a webhook's URL before anything is sent there. Each send also guards against addresses of the own network.
enum WebhookURL {
    /// The longest URL in bytes. Common receivers and proxies refuse longer URLs.
    private static let maximumBytes = 2_048

    /// Returns the problem of the text, as the end of a sentence. Nil if a send can use the URL.
    static func problem(_ text: String) -> String? {
        guard text.utf8.count <= maximumBytes else { return "is longer than \(maximumBytes) bytes" }
        return HTTPRequest.problem(inURL: text)
    }
}
