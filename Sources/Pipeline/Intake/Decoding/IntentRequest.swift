import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsJSON

/// The members of an event's `data`, by name and of the right kind. ``IntentChecks`` checks their meaning against the catalogue and the
/// clock. An optional text that is empty counts as absent.
struct IntentRequest {
    private(set) var recipients: [String] = []
    /// The title, body and keys. Its `data` is empty, because ``data`` has the object.
    private(set) var content = Content()
    private(set) var data = JSONObject()
    private(set) var channels: [Channel]?
    private(set) var scheduledFor: Timestamp?
    private(set) var expiresAt: Timestamp?
    private(set) var critical = false
    private(set) var market: String?
    private(set) var tenant = Intent.defaultTenant

    /// The names of all members. Other names are refused, because a misspelt `scheduledFor` that is skipped in silence would send at once.
    static let memberNames =
        ["recipient", "recipients"] + Content.Field.shown.map(\.rawValue) + ["data", "channels", "scheduledFor", "expiresAt"]
        + Content.Field.keys.map(\.rawValue) + ["critical", "market", "tenant"]

    init(_ members: JSONObject, limits: IntentLimits) throws(EventProblem) {
        var one: JSON?
        var many: JSON?
        for entry in members.entries where !entry.value.isNull {
            // A switch accepts text that is only equivalent, for example U+212A KELVIN SIGN for a K.
            guard entry.key.utf8.allSatisfy({ $0 < 0x80 }) else { throw IntentRequest.unknownMember(entry.key) }
            switch entry.key {
            case "recipient": one = entry.value
            case "recipients": many = entry.value
            case "data": data = try IntentRequest.object(entry)
            case "channels": channels = try IntentRequest.channels(entry)
            case "scheduledFor": scheduledFor = try IntentRequest.time(entry)
            case "expiresAt": expiresAt = try IntentRequest.time(entry)
            case "critical": critical = try IntentRequest.flag(entry)
            case "market": market = try IntentRequest.text(entry, atMost: CatalogueNames.longestName).ifPresent
            case "tenant": tenant = try IntentRequest.tenant(entry)
            default:
                guard let field = Content.Field(rawValue: entry.key) else { throw IntentRequest.unknownMember(entry.key) }
                content[field] = try IntentRequest.text(entry, field.form, limits).ifPresent
            }
        }
        recipients = try IntentRequest.recipients(one: one, many: many, limits: limits)
    }

    private static func recipients(one: JSON?, many: JSON?, limits: IntentLimits) throws(EventProblem) -> [String] {
        switch (one, many) {
        case (nil, nil):
            throw EventProblem(.noRecipient, "/data", "data names neither recipient nor recipients")
        case (.some, .some):
            throw EventProblem(.invalidAttribute, "/data/recipients", "give recipient or recipients, not both")
        case (let value?, nil):
            return [try recipient(value, "/data/recipient", limits)]
        case (nil, let value?):
            guard case .array(let elements) = value else {
                throw EventProblem(.invalidAttribute, "/data/recipients", "recipients must be an array of strings")
            }
            guard !elements.isEmpty else { throw EventProblem(.noRecipient, "/data/recipients", "recipients is empty") }
            guard elements.count <= limits.maximumRecipients else {
                throw EventProblem(
                    .tooManyRecipients, "/data/recipients",
                    "recipients has \(elements.count) elements; at most \(limits.maximumRecipients) are allowed")
            }
            var recipients: [String] = []
            recipients.reserveCapacity(elements.count)
            for (index, element) in elements.enumerated() {
                recipients.append(try recipient(element, "/data/recipients/\(index)", limits))
            }
            return recipients
        }
    }

    private static func recipient(_ value: JSON, _ pointer: String, _ limits: IntentLimits) throws(EventProblem) -> String {
        guard case .string(let text) = value else { throw EventProblem(.invalidAttribute, pointer, "a recipient must be a string") }
        guard let fault = RecipientForm.fault(in: text, atMost: limits.maximumRecipientBytes) else { return text }
        throw EventProblem(fault == .empty ? .emptyRecipient : .invalidAttribute, pointer, "a recipient \(fault)")
    }

    private static func text(_ entry: JSONObject.Entry, atMost limit: Int? = nil) throws(EventProblem) -> String {
        guard case .string(let text) = entry.value else { throw invalid(entry.key, "must be a string, not \(entry.value.typeName)") }
        if let limit, text.utf8.count > limit { throw invalid(entry.key, "has \(text.utf8.count) bytes; at most \(limit) are allowed") }
        return text
    }

    private static func text(
        _ entry: JSONObject.Entry, _ form: Content.Field.Form, _ limits: IntentLimits
    ) throws(EventProblem) -> String {
        switch form {
        case .text: return try text(entry)
        case .key: return try text(entry, atMost: limits.maximumKeyBytes)
        case .link:
            let link = try text(entry, atMost: limits.maximumLinkBytes)
            let (scheme, rest) = (link.utf8.prefix(8), link.utf8.dropFirst(8))
            let isLink = scheme.elementsEqual("https://".utf8) && !rest.isEmpty && rest.allSatisfy { (0x21...0x7E).contains($0) }
            guard isLink || link.isEmpty else {
                throw invalid(entry.key, "must be an https URL of printable ASCII without spaces")
            }
            return link
        }
    }

    private static func object(_ entry: JSONObject.Entry) throws(EventProblem) -> JSONObject {
        guard case .object(let object) = entry.value else { throw invalid(entry.key, "must be an object, not \(entry.value.typeName)") }
        return object
    }

    private static func flag(_ entry: JSONObject.Entry) throws(EventProblem) -> Bool {
        guard case .bool(let flag) = entry.value else { throw invalid(entry.key, "must be true or false") }
        return flag
    }

    private static func time(_ entry: JSONObject.Entry) throws(EventProblem) -> Timestamp {
        guard case .string(let text) = entry.value, let time = Timestamp(rfc3339: text) else {
            throw invalid(entry.key, "must be an RFC 3339 date-time with its offset, for example 2026-12-24T18:00:00+01:00")
        }
        return time
    }

    private static func tenant(_ entry: JSONObject.Entry) throws(EventProblem) -> String {
        let tenant = try text(entry)
        guard CatalogueNames.isTenant(tenant) else { throw invalid(entry.key, "must be \(CatalogueNames.nameRule)") }
        return tenant
    }

    /// Returns the channels in the given order, each once.
    private static func channels(_ entry: JSONObject.Entry) throws(EventProblem) -> [Channel] {
        guard case .array(let elements) = entry.value else { throw invalid(entry.key, "must be an array of channel names") }
        guard !elements.isEmpty else { throw invalid(entry.key, "names no channel; leave it out to let the catalogue choose") }
        var channels: [Channel] = []
        for (index, element) in elements.enumerated() {
            let pointer = "/data/channels/\(index)"
            guard case .string(let name) = element else { throw EventProblem(.invalidAttribute, pointer, "a channel must be a string") }
            guard let channel = Channel(rawValue: name) else {
                let known = Channel.allCases.map(\.rawValue)
                throw EventProblem(
                    .unknownChannel, pointer,
                    "unknown channel \"\(EventProblem.shown(name))\"\(NearestName.hint(for: name, among: known))")
            }
            if !channels.contains(channel) { channels.append(channel) }
        }
        return channels
    }

    private static func unknownMember(_ name: String) -> EventProblem {
        EventProblem(
            .invalidAttribute, JSONPointer.appending(name, to: "/data"),
            "data has no member \"\(EventProblem.shown(name))\"\(NearestName.hint(for: name, among: memberNames)); "
                + "fields of the notification's own go into /data/data")
    }

    private static func invalid(_ member: String, _ message: String) -> EventProblem {
        EventProblem(.invalidAttribute, "/data/\(member)", "\(member) \(message)")
    }
}
