import TidingsCore

/// The size of a part of a message, in the bytes that are sent: after escaping, and in the block of the platform.
public struct PartSize: Sendable, Hashable {
    /// The part and the service that limits it, as in "APNs takes 4096 bytes for the payload".
    public var part: String
    public var service: String
    public var bytes: Int
    public var limit: Int

    public init(_ part: String, bytes: Int, limit: Int, of service: String) {
        self.part = part
        self.service = service
        self.bytes = bytes
        self.limit = limit
    }

    public var fits: Bool { bytes <= limit }

    fileprivate var refusal: Refusal { Refusal(.payloadTooLarge, "\(part) has \(bytes) bytes; \(service) takes \(limit)") }
    fileprivate var rule: String { "\(service) takes \(limit) bytes for \(part)" }
}

/// A message, and each part of it whose size the service limits.
public struct SizedMessage<Message: Sendable>: Sendable {
    public var message: Message
    public var sizes: [PartSize]

    public init(_ message: Message, _ sizes: [PartSize]) {
        self.message = message
        self.sizes = sizes
    }

    public var fits: Bool { sizes.allSatisfy(\.fits) }
}

/// A message that fits, and the part of the content that had to go.
public struct FittedMessage<Message: Sendable>: Sendable {
    public var message: Message
    /// A sentence for `tidings why`; nil if nothing was left out. A provider gives it to ``TidingsCore/SendResult/noting(_:)``.
    public var note: String?

    public init(_ message: Message, note: String? = nil) {
        self.message = message
        self.note = note
    }
}

extension OutgoingDelivery {
    /// Makes the message of this delivery. If a part of it is too large, the content is reduced until every part fits:
    ///
    /// 1. The image is left out.
    /// 2. The body is shortened at the edge of a character, and ends with an ellipsis.
    /// 3. The body is left out.
    /// 4. The title is shortened in the same way.
    /// 5. The title is shortened, and the first character of the body stays: for a service that needs a body.
    ///
    /// Data and keys are never changed, and at least one character of a text stays. Throws `payloadTooLarge` if nothing fits then. If `make`
    /// refuses the whole content, throws this refusal. If `make` refuses reduced content, such as content without a body, that content counts
    /// as too large.
    ///
    /// A step is taken only if the shortest text of the step before does not fit. So a message that is longer without a body, because the
    /// title then stands at two places, costs no body that fits.
    ///
    /// - Parameter make: writes the message of a delivery as it is sent. A longer text makes a longer message. `make` is called for the
    ///   whole content, without the image, and for the shortest content of each step. A text of up to 4 KiB then costs at most 12 calls, a
    ///   text of up to 512 KiB at most 19. No shortened text of these calls is longer than the largest limit.
    public func fitted<Message: Sendable>(
        _ make: (OutgoingDelivery) throws(Refusal) -> SizedMessage<Message>
    ) throws(Refusal) -> FittedMessage<Message> {
        let whole = try make(self)
        guard let tooLarge = whole.sizes.first(where: { !$0.fits }) else { return FittedMessage(whole.message) }
        var item = self
        var changes: [String] = []
        let imageless = with(nil, at: \.content.imageURL)
        if imageURL != nil, let plain = try? make(imageless) {
            item = imageless
            // Some services show no image.
            if plain.sizes != whole.sizes { changes.append("the image was left out") }
            if plain.fits { return FittedMessage(plain.message, note: "\(tooLarge.rule): " + changes.joined(separator: ", ")) }
        }
        // The part that is too large with one character more. Several parts may be too large with the whole content.
        var tightest = tooLarge
        for step in item.textSteps(longest: whole.sizes.map(\.limit).max() ?? 0) {
            guard let (reduced, message) = step.longestFitting(make, &tightest) else { continue }
            changes += textChanges(in: reduced)
            return FittedMessage(message, note: "\(tightest.rule): " + changes.joined(separator: ", "))
        }
        throw tooLarge.refusal
    }

    /// The steps that reduce the texts, in the order in which they are tried.
    ///
    /// - Parameter longest: the most bytes of a text.
    private func textSteps(longest: Int) -> [TextStep] {
        guard !silent else { return [] }
        let bodies = TextCuts(of: body, longest: longest)
        let titles = TextCuts(of: title, longest: longest)
        let titleAlone = with(nil, at: \.content.body)
        let shortestBody = bodies.count > 0 ? with(bodies[bodies.count - 1], at: \.content.body) : self
        return [
            TextStep(count: bodies.count) { with(bodies[$0], at: \.content.body) },
            // The title may stand alone.
            TextStep(count: title != nil && body != nil ? 1 : 0) { _ in titleAlone },
            TextStep(count: titles.count) { titleAlone.with(titles[$0], at: \.content.title) },
            TextStep(count: body != nil ? titles.count : 0) { shortestBody.with(titles[$0], at: \.content.title) },
        ]
    }

    private func with(_ text: String?, at place: WritableKeyPath<OutgoingDelivery, String?>) -> OutgoingDelivery {
        var item = self
        item[keyPath: place] = text
        return item
    }

    private func textChanges(in reduced: OutgoingDelivery) -> [String] {
        [("body", body, reduced.body), ("title", title, reduced.title)].compactMap { name, before, after in
            guard let before else { return nil }
            guard let after else { return "the \(name) was left out" }
            if after.utf8.count == before.utf8.count { return nil }
            return "the \(name) was shortened from \(before.utf8.count) to \(after.utf8.count) bytes"
        }
    }
}

/// Deliveries with less and less of one text, the longest first.
private struct TextStep {
    let count: Int
    /// Returns the delivery at a position from 0.
    let delivery: (Int) -> OutgoingDelivery

    /// Returns the longest delivery that fits, with its message. Nil if the shortest delivery does not fit.
    ///
    /// - Parameter tightest: becomes the part that was too large in the last delivery that did not fit.
    func longestFitting<Message: Sendable>(
        _ make: (OutgoingDelivery) throws(Refusal) -> SizedMessage<Message>, _ tightest: inout PartSize
    ) -> (delivery: OutgoingDelivery, message: Message)? {
        // Nothing fits if the shortest content does not. Then the search would only cost time.
        guard count > 0, var best = message(at: count - 1, make, &tightest) else { return nil }
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if let candidate = message(at: middle, make, &tightest) {
                (high, best) = (middle, candidate)
            } else {
                low = middle + 1
            }
        }
        return (delivery(high), best)
    }

    /// Returns the message of the delivery at a position. Nil if a part of it is too large, or if it is refused.
    private func message<Message: Sendable>(
        at position: Int, _ make: (OutgoingDelivery) throws(Refusal) -> SizedMessage<Message>, _ tightest: inout PartSize
    ) -> Message? {
        guard let sized = try? make(delivery(position)) else { return nil }
        guard let part = sized.sizes.first(where: { !$0.fits }) else { return sized.message }
        tightest = part
        return nil
    }
}

/// The beginnings of a text that end at the edge of a character, the longest first, each with an ellipsis behind it.
private struct TextCuts {
    private static let ellipsis = "…"
    /// The most bytes of a scalar.
    private static let longestScalar = 4

    private let text: String
    private let cuts: [String.Index]

    /// Looks only at the start of the text: a text may be a single character of a million combining marks.
    ///
    /// The edge before a character depends only on the text before it and on its first scalar. So a start that has one scalar more than
    /// `longest` bytes shows every edge that counts. The end of the start itself may lie within a character, and is none.
    init(of text: String?, longest: Int) {
        let text = text ?? ""
        let looked = longest + Self.longestScalar
        var end = text.utf8.index(text.startIndex, offsetBy: looked, limitedBy: text.endIndex) ?? text.endIndex
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        let start = String(text[..<end])
        self.text = start
        // With its ellipsis, a shortened text is no longer than the text, and no longer than `longest`.
        let most = min(text.utf8.count, longest) - Self.ellipsis.utf8.count
        cuts = start.indices.dropFirst().prefix { start.utf8.distance(from: start.startIndex, to: $0) <= most }.reversed()
    }

    var count: Int { cuts.count }

    subscript(position: Int) -> String { String(text[..<cuts[position]]) + Self.ellipsis }
}
