/// One message as it came from a producer, on any transport.
public struct IncomingMessage: Sendable {
    public var body: [UInt8]
    /// The content type as sent, parameters and all; nil when the producer set none.
    public var contentType: String?
    /// The headers with a single value, written as text, a timestamp as RFC 3339; tables and arrays are left out.
    public var headers: [String: String]
    /// True when the headers were nested so deeply that they were not read.
    public var headersTooDeep: Bool
    /// True when there were so many headers, or such long ones, that attributes of binary mode may be missing.
    public var attributesCut: Bool
    /// True when the broker found no queue for the message's routing key.
    public var isUnroutable: Bool

    public init(
        body: [UInt8], contentType: String?, headers: [String: String] = [:], headersTooDeep: Bool = false,
        attributesCut: Bool = false, isUnroutable: Bool = false
    ) {
        self.body = body
        self.contentType = contentType
        self.headers = headers
        self.headersTooDeep = headersTooDeep
        self.attributesCut = attributesCut
        self.isUnroutable = isUnroutable
    }
}
