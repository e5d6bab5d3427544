import Glibc
import Synchronization

/// Messages to a ``SocketThread``'s loop from any thread: in a list, with a byte in a pipe that the loop polls.
public final class SocketMailbox<Message: Sendable>: Sendable {
    /// Readable while there may be messages.
    public let reader: Int32
    private let writer: Int32
    private let messages = Mutex<[Message]>([])

    /// Throws when the process has no two file descriptors left.
    public init() throws(SocketThread.StartError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SocketThread.StartError("no file descriptor to send messages by") }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (reader, writer) = (ends[0], ends[1])
    }

    deinit {
        close(reader)
        close(writer)
    }

    public func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        var byte: UInt8 = 1
        _ = unsafe write(writer, &byte, 1)  // a full pipe wakes as well as one more byte would
    }

    /// Empties the pipe, then the list: in that order a message in between costs one idle turn and is never missed.
    public func take() -> [Message] {
        var drained = [UInt8](repeating: 0, count: 64)
        while unsafe read(reader, &drained, drained.count) == drained.count {}
        return messages.withLock { list in
            defer { list = [] }
            return list
        }
    }
}
