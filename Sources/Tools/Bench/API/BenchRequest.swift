import NIOCore
import NIOHTTP1

/// A request of a measurement.
struct BenchRequest: Sendable {
    let head: HTTPRequestHead
    let body: [UInt8]

    /// - Parameters:
    ///   - credentials: the token of a person, or a key.
    ///   - contentType: nil for a request without a body.
    init(_ method: HTTPMethod, _ path: String, credentials: String, contentType: String? = nil, body: [UInt8] = []) {
        var headers = HTTPHeaders([("Host", "127.0.0.1"), ("Authorization", "Bearer \(credentials)")])
        if let contentType {
            headers.add(name: "Content-Type", value: contentType)
            headers.add(name: "Content-Length", value: "\(body.count)")
        }
        head = HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
        self.body = body
    }
}

extension ChannelInboundHandler where OutboundOut == HTTPClientRequestPart {
    func send(_ request: BenchRequest, in context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        if !request.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: request.body)))), promise: nil)
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
