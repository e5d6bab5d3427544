/// A content type taken apart, as far as is needed: lower case, the charset apart.
struct MediaType {
    /// For example `application/json`.
    let essence: String
    let charset: String?

    init(_ text: String) {
        let parts = text.lowercased().split(separator: ";").map(\.trimmingBlanks)
        essence = parts.first.map { String($0) } ?? ""
        charset = parts.dropFirst().first { $0.hasPrefix("charset=") }.map { $0.dropFirst("charset=".count).filter { $0 != "\"" } }
    }

    /// True without a charset: JSON is UTF-8 by itself.
    var isUTF8: Bool {
        charset.map { ["utf-8", "utf8", "us-ascii"].contains($0) } ?? true
    }

    var isJSON: Bool {
        isUTF8 && (essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json"))
    }

    /// Whether a content type is JSON; the usual one is known without taking it apart.
    static func isJSON(_ text: String) -> Bool {
        text == "application/json" || MediaType(text).isJSON
    }
}

extension Substring {
    /// Without spaces and tabs at both ends.
    var trimmingBlanks: Substring {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) }) else { return "" }
        return self[first...last]
    }
}
