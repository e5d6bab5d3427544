import Glibc
import Synchronization
import TidingsSocket

/// How a cancelled task, on whatever thread that happens, tells the transfer loop: the transfer's number in a list, and a byte in a
/// pipe that the loop polls.
final class CancellationBell: Sendable {
    let reader: Int32
    private let writer: Int32
    private let rung = Mutex<[UInt64]>([])

    init() throws(SocketThread.StartError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SocketThread.StartError("no file descriptor to cancel by") }
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

    func ring(_ transfer: UInt64) {
        rung.withLock { $0.append(transfer) }
        var byte: UInt8 = 1
        _ = write(writer, &byte, 1)  // a full pipe wakes as well as one more byte would
    }

    /// Empties the pipe, then the list: in that order a ring in between costs one idle turn and is never missed.
    func takeRung() -> [UInt64] {
        var drained = [UInt8](repeating: 0, count: 64)
        while read(reader, &drained, drained.count) == drained.count {}
        return rung.withLock { list in
            defer { list = [] }
            return list
        }
    }
}
