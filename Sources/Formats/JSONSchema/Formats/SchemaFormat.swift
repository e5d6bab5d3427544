import TidingsEncodings

/// The formats that can be asserted. Each check follows the RFC named beside it and no more: the existence of an address is not checked.
///
/// `hostname` is missing on purpose. The draft wants internationalised labels checked by RFC 5890, which needs its own tables.
enum SchemaFormat: String, CaseIterable, Sendable {
    case dateTime = "date-time"
    case date
    case time
    case email
    case ipv4
    case ipv6
    case uri
    case uriReference = "uri-reference"
    case uuid

    func accepts(_ text: String) -> Bool {
        switch self {
        case .dateTime: DateFormat.isDateTime(Array(text.utf8)[...])
        case .date: DateFormat.isDate(Array(text.utf8)[...])
        case .time: DateFormat.isTime(Array(text.utf8)[...])
        case .email: MailAddressFormat.isAddress(Array(text.utf8)[...])
        case .ipv4: NetworkAddressFormat.isIPv4(Array(text.utf8)[...])
        case .ipv6: NetworkAddressFormat.isIPv6(Array(text.utf8)[...])
        case .uri: URIReference(text)?.scheme != nil
        case .uriReference: URIReference(text) != nil
        case .uuid: Hexadecimal.isUUID(text)
        }
    }
}
