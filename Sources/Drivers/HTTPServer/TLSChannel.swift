import HummingbirdCore
import Logging
import NIOCore

/// The connections of a server, with TLS before everything else.
struct TLSChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: Base
    /// Nil if no session can be made, for lack of memory.
    let session: @Sendable () -> (any TLSSession)?
    /// The longest time of a handshake.
    let patience: Duration

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            guard let session = self.session() else { throw HTTPServerError(message: "no TLS session can be made") }
            try channel.pipeline.syncOperations.addHandler(TLSHandler(session, patience: self.patience))
        }.flatMap {
            self.base.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
