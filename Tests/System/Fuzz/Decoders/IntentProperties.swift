import TidingsCore

@testable import TidingsCatalogue
@testable import TidingsContracts
@testable import TidingsJSON
@testable import TidingsPipeline

/// The properties on which the rest of Tidings relies after the decoder has accepted or refused an event.
struct IntentProperties {
    let decoder: IntentDecoder
    let now: Timestamp
    let message: IncomingMessage

    private var limits: IntentLimits { decoder.limits }

    func check(_ decoded: DecodedIntent) throws {
        let intent = decoded.intent
        guard let type = decoder.catalogue.types[intent.type]?.type else { throw BrokenProperty(description: "a type that does not exist") }
        try require(isSame(type.name, intent.type), "the type is spelled in another way than the catalogue's")
        try require(1...limits.maximumRecipientBytes ~= intent.recipient.utf8.count, "a recipient of \(intent.recipient.utf8.count) bytes")
        try require(intent.recipient.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a recipient with a control character")
        try require(1...limits.maximumIDBytes ~= intent.id.utf8.count, "an id of \(intent.id.utf8.count) bytes")
        try require(1...limits.maximumSourceBytes ~= intent.source.utf8.count, "a source of \(intent.source.utf8.count) bytes")
        try require(CatalogueNames.isTenant(intent.tenant), "a tenant that is none")
        for key in Content.Field.keys.compactMap({ intent.content[$0] }) {
            try require(key.utf8.count <= limits.maximumKeyBytes, "a key of \(key.utf8.count) bytes")
        }
        for field in Content.Field.allCases where field.form == .link {
            guard let link = intent.content[field] else { continue }
            try require(link.utf8.count <= limits.maximumLinkBytes, "a link of \(link.utf8.count) bytes")
            let isLink = link.hasPrefix("https://") && link.utf8.count > 8 && link.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            try require(isLink, "a link that is none: \(link)")
        }
        if let market = intent.market {
            let known = decoder.catalogue.catalogue.markets[market]
            try require(known.map { isSame($0.name, market) } == true, "a market that the catalogue spells in another way")
        }
        if let channels = intent.channels {
            try require(!channels.isEmpty && Set(channels).count == channels.count, "channels: \(channels)")
        }
        if let moment = intent.scheduledFor {
            try require(moment - now <= limits.futureHorizon && now - moment <= limits.pastTolerance, "scheduled for \(moment)")
        }
        try require(intent.title != nil || type.silent, "no title")
        let optional = Content.Field.allCases.map { intent.content[$0] } + [intent.market, intent.traceparent]
        try require(!optional.contains(""), "an optional text that is empty and not absent")
        if let parent = intent.traceparent { try require(TraceParent.validated(parent) == parent, "a traceparent that is none") }
        guard case .object? = try? JSON.parse(intent.data) else { throw BrokenProperty(description: "its data is no JSON object") }
        try checkStorable(intent)
        try require(message.body.indices.contains(decoded.bytesInMessage.lowerBound) || message.body.isEmpty, "it lies outside its message")
        try require(decoded.bytesInMessage.upperBound <= message.body.count, "it ends outside its message")
    }

    /// PostgreSQL stores no NUL.
    private func checkStorable(_ intent: Intent) throws {
        let texts = [
            intent.id, intent.source, intent.type, intent.tenant, intent.recipient, intent.title, intent.body, intent.groupKey,
            intent.collapseKey, intent.market, intent.data,
        ]
        for text in texts { try require(text?.utf8.contains(0) != true, "a text with a NUL") }
    }

    func check(_ rejection: Rejection) throws {
        try require(rejection.reason.kind == .rejected, "refused for a reason that is none: \(rejection.reason)")
        try Properties.requirePointer(rejection.pointer)
        try Properties.requireSentence(rejection.message, atMost: Self.longestMessage)
        try require(rejection.pointer.utf8.count <= Self.longestPointer, "a pointer of \(rejection.pointer.utf8.count) bytes")
        for text in [rejection.source, rejection.eventID, rejection.type, rejection.tenant] + rejection.recipientIDs {
            try require((text?.utf8.count ?? 0) <= Self.longestText, "a repeated text of \(text?.utf8.count ?? 0) bytes")
        }
        let people = Set(rejection.recipientIDs.map { Array($0.utf8) })
        try require(people.count == rejection.recipientIDs.count && people.count <= limits.maximumRecipients, "\(people.count) people")
        try require(!people.contains([]), "a person without a name")
        try require(!rejection.isVerified || rejection.source?.isEmpty == false, "verified without a source")
        try require(rejection.recipients >= 1, "for \(rejection.recipients) recipients")
        try require(rejection.sha256.count == 32, "a hash of \(rejection.sha256.count) bytes")
        try require(rejection.raw.count <= limits.maximumEventBytes, "\(rejection.raw.count) bytes are kept")
        try require(rejection.size <= message.body.count, "larger than its message")
    }

    /// The longest pointer: 64 levels, each a cut name of the largest size with every character escaped.
    private static let longestPointer = 64 * 260
    /// The longest message: five violations, each with its pointer.
    private static let longestMessage = 5 * longestPointer
    /// The longest text: characters of up to four bytes.
    private static let longestText = 4 * EventClaims.longestText

    private func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
}
