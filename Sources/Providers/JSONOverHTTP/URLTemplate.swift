import TidingsCore
import TidingsProvider

/// The address of a call, with placeholders in its path and query. Values are percent-encoded.
///
/// Scheme, host and port contain no placeholder: the sender of a notification must not choose where it goes.
struct URLTemplate: Sendable, Hashable {
    /// In bytes: the length that RFC 9110 section 4.1 asks every server to accept.
    static let maximumBytes = 8_000

    /// Scheme, host and port: `https://dmp.example.com:8443`.
    private let origin: String
    /// The texts between the slashes of the path.
    private let segments: [ValueTemplate]
    /// The query; nil if the address has no question mark.
    private let query: ValueTemplate?

    var placeholders: [Placeholder] { (segments + (query.map { [$0] } ?? [])).flatMap(\.placeholders) }

    init(_ text: String) throws(SettingProblem) {
        guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else {
            throw SettingProblem("\"\(text)\" does not begin with https:// or http://")
        }
        let rest = text.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !host.isEmpty else { throw SettingProblem("\"\(text)\" has no host") }
        guard !host.contains("{{") else {
            throw SettingProblem("the host holds a placeholder: only path and query may, for who sends must not choose where it goes")
        }
        guard !host.contains("@") else { throw SettingProblem("holds user information, which belongs into authorization") }
        let path = rest[host.endIndex...].prefix { $0 != "?" }
        var segments: [ValueTemplate] = []
        for segment in path.split(separator: "/", omittingEmptySubsequences: false) { segments.append(try ValueTemplate(String(segment))) }
        let query = path.endIndex == rest.endIndex ? nil : try ValueTemplate(String(rest[path.endIndex...].dropFirst()))
        let literal = host + segments.map(\.literal).joined(separator: "/") + (query?.literal ?? "")
        guard literal.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw SettingProblem("holds a space, a control character or a character outside ASCII; percent-encode it")
        }
        guard !literal.contains("#") else { throw SettingProblem("has a fragment, which is never sent") }
        origin = scheme + host
        self.segments = segments
        self.query = query
    }

    /// Returns the URL, which may be longer than ``maximumBytes``. Throws if a value would make a path segment empty or dotted: the URL would
    /// name another resource than the operator meant.
    func render(_ values: DeliveryValues) throws(Refusal) -> String {
        var path: [String] = []
        for segment in segments {
            for placeholder in segment.placeholders where values.text(of: placeholder).isEmpty {
                if placeholder == .property(.address) { throw .noAddress }
                throw Refusal(.providerRejected, "the path of the URL needs \(placeholder), which this delivery does not have")
            }
            let text = segment.render(values, encoding: percentEncoded)
            if !segment.placeholders.isEmpty, text == "." || text == ".." {
                throw Refusal(.providerRejected, "the path of the URL would have the segment \"\(text)\"")
            }
            path.append(text)
        }
        var url = origin + path.joined(separator: "/")
        if let query { url += "?" + query.render(values, encoding: percentEncoded) }
        return url
    }
}
