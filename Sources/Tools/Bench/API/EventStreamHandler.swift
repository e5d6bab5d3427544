import NIOCore
import NIOHTTP1
import TidingsJSON

/// Reads one event stream, and tells what comes.
final class EventStreamHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    enum Note: Sendable {
        /// An event of the inbox, with the number of new items that it names. It is incomplete if more has happened than it names.
        case event(new: Int, isComplete: Bool)
        /// The stream is over, for this reason. The note may come several times.
        case ended(String)
    }

    private let request: BenchRequest
    private let note: @Sendable (Note) -> Void
    private var lines = EventLines()

    init(_ request: BenchRequest, note: @escaping @Sendable (Note) -> Void) {
        self.request = request
        self.note = note
    }

    func channelActive(context: ChannelHandlerContext) {
        send(request, in: context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            if head.status != .ok { end("the API answers \(head.status.code)", context) }
        case .body(let buffer):
            for data in lines.read(buffer.readableBytesView) {
                guard let event = try? JSON.parse(data), let new = event["new"]?.arrayValue else {
                    return end("an event cannot be read", context)
                }
                note(.event(new: new.count, isComplete: event["reset"]?.boolValue == false))
            }
        case .end: end("the API ended the stream", context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        note(.ended("the connection was closed"))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end("\(error)", context) }

    private func end(_ reason: String, _ context: ChannelHandlerContext) {
        note(.ended(reason))
        context.close(promise: nil)
    }
}
