import Glibc
import Synchronization

/// The descriptor of a socket that one thread uses and another one ends.
///
/// A number that is closed soon belongs to another socket. So the thread closes it, after its last use, and nothing is done to it afterwards.
public final class SharedDescriptor: Sendable {
    private let open: Mutex<Int32?>

    public init(_ descriptor: Int32) { open = Mutex(descriptor) }

    /// Ends the connections of the socket. The thread's call returns at once. Does nothing after ``close()``.
    public func end() {
        open.withLock { if let descriptor = $0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    /// Only the thread that uses the socket calls this.
    public func close() {
        open.withLock { descriptor in
            if let open = descriptor { _ = Glibc.close(open) }
            descriptor = nil
        }
    }
}
