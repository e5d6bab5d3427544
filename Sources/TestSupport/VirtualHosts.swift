import Foundation
import Glibc

/// The virtual hosts of the tests' broker that no test has used yet: a file with a name a line, named by `TIDINGS_TEST_HOSTS`.
///
/// `tidings dev --test-hosts` makes the hosts and the file. Each host is taken once, whichever process runs the test. A used host may still
/// hold queues with messages, which the next test would get.
enum VirtualHosts {
    /// Takes a host out of the file.
    ///
    /// Throws if the variable is not set, if the file cannot be read, and if no host is left.
    static func claim() throws -> String {
        guard let path = ProcessInfo.processInfo.environment["TIDINGS_TEST_HOSTS"] else {
            throw TestSystemError(message: "TIDINGS_TEST_HOSTS is not set: run deploy/test")
        }
        let file = open(path, O_RDWR | O_CLOEXEC)
        guard file >= 0 else { throw TestSystemError(message: "cannot open \(path): \(String(cString: strerror(errno)))") }
        let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
        // Closing the file ends the lock. Processes of tests, and tests of one process, take turns.
        guard flock(file, LOCK_EX) == 0 else { throw TestSystemError(message: "cannot lock \(path): \(String(cString: strerror(errno)))") }
        var names = String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
        guard let name = names.popLast() else {
            throw TestSystemError(message: "every virtual host is used: start the servers again, or raise `hosts` in deploy/test")
        }
        // The last line goes, so the others stay where they are.
        try handle.truncate(atOffset: UInt64(names.reduce(0) { $0 + $1.utf8.count + 1 }))
        return String(name)
    }
}
