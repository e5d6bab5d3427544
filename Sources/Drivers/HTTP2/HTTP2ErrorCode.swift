/// The reason of a reset or of a GOAWAY (RFC 9113 section 7).
package struct HTTP2ErrorCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let noError = HTTP2ErrorCode(rawValue: 0)
    package static let internalError = HTTP2ErrorCode(rawValue: 2)
    /// The server did not process the request.
    package static let refusedStream = HTTP2ErrorCode(rawValue: 7)
    /// The client does not need the response any more.
    package static let cancel = HTTP2ErrorCode(rawValue: 8)
}
