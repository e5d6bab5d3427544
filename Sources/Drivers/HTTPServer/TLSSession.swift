/// The server's side of one TLS connection, without a socket: the owner carries the bytes. Not for two threads at once.
///
/// A binary without a server of HTTPS needs no TLS library, so the session comes from another target.
public protocol TLSSession: AnyObject {
    /// Takes bytes of the client. They are read by ``handshake()`` and ``read(into:)``.
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// Goes on with the handshake. Call it until it is done, before any other step.
    func handshake() -> TLSProgress
    /// Whether ``read(into:)`` may find something. False only if it finds nothing.
    var mayHaveMore: Bool { get }
    /// Decrypts received bytes into `memory`. The number of bytes is 0 unless the progress is ``TLSProgress/done``.
    func read(into memory: UnsafeMutableRawBufferPointer) -> (progress: TLSProgress, count: Int)
    /// Encrypts bytes. They then belong to the output.
    ///
    /// - Parameter bytes: at least one byte.
    func write(_ bytes: UnsafeRawBufferPointer) -> TLSProgress
    /// The number of bytes that wait to be sent to the client. Each step may add some.
    var outputBytes: Int { get }
    /// Moves output into `memory`. Returns the number of bytes.
    func takeOutput(into memory: UnsafeMutableRawBufferPointer) -> Int
    /// Adds the message to the output that nothing more comes. Does nothing after a failure.
    func sayGoodbye()
}

/// How far a step of a ``TLSSession`` came.
public enum TLSProgress: Sendable, Hashable {
    case done
    /// The step needs more bytes of the client.
    case needsBytes
    /// The client has said that nothing more comes.
    case ended
    /// The connection is of no use any more. The words are those of the TLS library.
    case failed(String)
}
