import TidingsCore
import TidingsJSON
import TidingsProvider

/// The way the body of a call is made.
enum BodyTemplate: Sendable {
    /// ``standardBody(of:)``.
    case standard
    case json(JSONTemplate)
    /// A form. Values are percent-encoded.
    case form(ValueTemplate)
    /// Any other text. Values are inserted unchanged.
    case text(ValueTemplate)

    /// - Parameter text: nil for the standard body, which is JSON.
    init(_ text: String?, contentType: String) throws(SettingProblem) {
        let mediaType = contentType.lowercased().prefix { $0 != ";" && !$0.isWhitespace }
        let isJSON = mediaType == "application/json" || mediaType.hasSuffix("+json")
        guard let text else {
            guard isJSON else { throw SettingProblem("must be set, because the standard body is JSON and contentType is \(contentType)") }
            self = .standard
            return
        }
        if isJSON {
            self = .json(try JSONTemplate(parsing: text))
        } else if mediaType == "application/x-www-form-urlencoded" {
            self = .form(try ValueTemplate(text))
        } else {
            self = .text(try ValueTemplate(text))
        }
    }

    var placeholders: [Placeholder] {
        switch self {
        case .standard: []
        case .json(let template): template.placeholders
        case .form(let template), .text(let template): template.placeholders
        }
    }

    func render(_ values: DeliveryValues) -> [UInt8] {
        switch self {
        case .standard: return standardBody(of: values)
        case .json(let template):
            var json = JSONWriter(capacity: 512)
            template.write(values, to: &json)
            return json.bytes
        case .form(let template): return Array(template.render(values, encoding: percentEncoded).utf8)
        case .text(let template): return Array(template.render(values).utf8)
        }
    }
}

/// Returns the body of a call without a template: `id`, `recipient`, `tenant`, `channel`, `type`, `category`, `title`, `body`, `data`
/// unchanged, `createdAt`, `expiresAt`, `address`, `idempotencyKey`, `silent` and `badge`. Members that the delivery does not have are left
/// out.
func standardBody(of values: DeliveryValues) -> [UInt8] {
    let item = values.item
    var json = JSONWriter(capacity: 512 + item.data.utf8.count)
    json.beginObject()
    json.member("id", item.notificationID.description)
    json.member("recipient", item.recipient)
    json.member("tenant", item.tenant)
    json.member("channel", values.channel.rawValue)
    json.member("type", item.type)
    json.member("category", item.category.rawValue)
    if let title = item.title { json.member("title", title) }
    if let body = item.body { json.member("body", body) }
    json.key("data")
    json.raw(item.data)
    json.member("createdAt", item.createdAt.rfc3339)
    if let expiresAt = item.expiresAt { json.member("expiresAt", expiresAt.rfc3339) }
    if let address = item.endpointAddress { json.member("address", address) }
    json.member("idempotencyKey", item.idempotencyKey)
    json.member("silent", item.silent)
    if let badge = item.badge { json.member("badge", badge) }
    json.endObject()
    return json.bytes
}
