import TidingsEncodings

/// The parts of a content type that are needed, in lower case: the essence, and the charset by itself.
struct MediaType {
    /// For example `application/json`.
    let essence: String
    let charset: String?

    init(_ text: String) {
        let parts = text.lowercased().split(separator: ";").map(\.trimmingBlanks)
        essence = parts.first.map { String($0) } ?? ""
        charset = parts.dropFirst().first { $0.hasPrefix("charset=") }.map { $0.dropFirst("charset=".count).filter { $0 != "\"" } }
    }

    /// Whether the charset is UTF-8. True without a charset, because JSON is UTF-8 by default.
    var isUTF8: Bool {
        charset.map { ["utf-8", "utf8", "us-ascii"].contains($0) } ?? true
    }

    var isJSON: Bool {
        isUTF8 && (essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json"))
    }

    /// Whether a content type is JSON. The usual type needs no parsing.
    static func isJSON(_ text: String) -> Bool {
        text == "application/json" || MediaType(text).isJSON
    }
}
