/// An outcome with the details of the attempt that are recorded.
public struct SendResult: Sendable, Hashable {
    public var outcome: Outcome
    /// The HTTP status, or the corresponding number of another protocol.
    public var status: Int?
    /// For an endpoint that is gone: the time since when, if the provider gives it. An endpoint registered after that time is a new one and
    /// stays.
    public var goneSince: Timestamp?
    /// The evidence that the provider states. Nil if outcome and status tell it.
    private(set) var statedEvidence: Outcome.Evidence?
    /// The printable text of the provider's answer. It is longer than ``detail``, because secrets are searched before the text is cut.
    private var said: String?

    /// Control characters of `detail` become spaces, and an empty `detail` becomes nil. See ``detail`` for its length, and ``hiding(_:)``
    /// for the secrets that must not be in it.
    public init(_ outcome: Outcome, status: Int? = nil, detail: String? = nil, goneSince: Timestamp? = nil) {
        self.outcome = outcome
        self.status = status
        self.goneSince = goneSince
        said = detail.flatMap(Self.printable)
    }

    /// The printable text of the provider's answer, cut to ``longestDetail`` bytes at a character's edge. Nil if there is no text.
    public var detail: String? {
        guard let said, said.utf8.count > Self.longestDetail else { return said }
        var end = said.utf8.index(said.utf8.startIndex, offsetBy: Self.longestDetail)
        // The bytes that continue a scalar begin with the bits 10.
        while said.utf8[end] & 0xC0 == 0x80 { end = said.utf8.index(before: end) }
        return String(said[..<end])
    }

    /// The longest ``detail``, in bytes of UTF-8. This is enough for an error message. A whole web page would be too much to store a
    /// million times.
    public static let longestDetail = 500
    /// The longest text of a provider's answer that is kept, in bytes of UTF-8. Secrets are searched in this part, and the rest is dropped.
    public static let longestSaid = 8 << 10
    /// The shortest secret that is hidden, in bytes of UTF-8. A shorter one would be found in ordinary words, and can be guessed anyway.
    public static let shortestSecret = 6

    /// Returns the same result without the secrets of its call. Each occurrence in the provider's id of the message, and in the detail
    /// before it is cut, becomes `…`. This protects against a service that repeats the request in its answer. Every provider ends its
    /// `send` with this call.
    ///
    ///     return pagerResult(of: answer).hiding([apiKey, item.endpointAddress ?? ""])
    ///
    /// - A secret is found as it stands, in upper or lower case, percent-encoded, or escaped as in JSON. It is also found if the answer
    ///   breaks off within it.
    /// - If a secret has white space, such as `Bearer abc…` or the lines of a PEM file, each longer word is a secret by itself.
    /// - A secret of fewer than ``shortestSecret`` bytes is not hidden.
    /// - A secret in another form, such as Base64, is another secret: pass both. If only a part of an address is secret, pass that part as
    ///   well.
    public func hiding(_ secrets: [String]) -> SendResult {
        var result = self
        if case .accepted(let id?, let delivered) = outcome {
            result.outcome = .accepted(providerMessageID: HiddenSecrets(secrets).hidden(in: id), delivered: delivered)
        }
        if let said { result.said = HiddenSecrets(secrets).hidden(in: said) }
        return result
    }

    /// Returns the same result with a note of the provider before the words of the service, so that the note is never cut. A note says how
    /// the message that was sent differs from the content, such as a body that was shortened. A result without a note stays as it is.
    public func noting(_ note: String?) -> SendResult {
        guard let note else { return self }
        var result = self
        result.said = Self.printable([note, said].compactMap(\.self).joined(separator: "; "))
        return result
    }

    /// Returns the same result with this ``evidence`` about the receiver. For a result whose outcome and status do not tell it, such as the
    /// answer of another server than the receiver, or a status of another protocol than HTTP.
    public func stating(_ evidence: Outcome.Evidence) -> SendResult {
        var result = self
        result.statedEvidence = evidence
        return result
    }

    private static func printable(_ text: String) -> String? {
        var result = String.UnicodeScalarView()
        var length = 0
        for scalar in text.unicodeScalars {
            let safe = scalar.isPrintable ? scalar : " "
            length += UTF8.width(safe)
            guard length <= longestSaid else { break }
            result.append(safe)
        }
        return result.isEmpty ? nil : String(result)
    }
}
