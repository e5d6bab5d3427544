import Glibc

/// The record: a file that lines are appended to, each with one `write`, so that a line is whole and survives the end of the process.
/// (A crash of the machine may lose the last of them.)
struct RecordFile: ~Copyable, Sendable {
    private let descriptor: Int32

    init(path: String) throws(CaptureError) {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CaptureError(message: "cannot append to the record \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Appends a line; false when it is not whole on the file, as on a full disk. It goes to the page cache, which is quick enough for
    /// a thread of the cooperative pool.
    func append(line: [UInt8]) -> Bool {
        let bytes = line + [0x0A]
        return write(descriptor, bytes, bytes.count) == bytes.count
    }
}
