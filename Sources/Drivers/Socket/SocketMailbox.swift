import Glibc
import Synchronization

/// Messages from any thread to the loop of a ``SocketThread``. A post appends to a list and writes one byte to a pipe that the loop polls.
public final class SocketMailbox<Message: Sendable>: Sendable {
    /// The read end of the pipe, readable while there may be messages.
    public let reader: Int32
    private let writer: Int32
    private let messages = Mutex<[Message]>([])

    /// Throws when the process does not have two free file descriptors.
    public init() throws(SocketThread.StartError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0, SpareDescriptor.isLeft(after: ends) else {
            throw SocketThread.StartError("no file descriptor to send messages by")
        }
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

    /// Empties the pipe, then returns and empties the list. A message posted in between costs one idle turn of the loop. In the opposite
    /// order, the loop could miss that message.
    public func dequeueAll() -> [Message] {
        var drained = [UInt8](repeating: 0, count: 64)
        while unsafe read(reader, &drained, drained.count) == drained.count {}
        return messages.withLock { list in
            defer { list = [] }
            return list
        }
    }
}
