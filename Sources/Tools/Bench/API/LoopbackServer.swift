import NIOCore
import NIOHTTP1
import NIOPosix

/// An HTTP/1.1 server on this machine, to which a measurement connects.
///
/// The connections are channels of SwiftNIO: ten thousand of them must wait at once, and an event stream has no end. The client of
/// `TidingsHTTP` reads whole answers.
struct LoopbackServer: Sendable {
    let port: Int

    /// Opens a connection.
    ///
    /// - Parameter makeHandler: called on the event loop of the connection.
    func connect(_ makeHandler: @escaping @Sendable () -> any ChannelInboundHandler) async throws -> any Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(makeHandler())
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }
}
