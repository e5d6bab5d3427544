import Glibc

/// The record: a file of lines. Each line is appended with one `write`, so that a line is whole and survives the end of the process. A
/// crash of the machine may lose the last lines.
struct RecordFile: ~Copyable, Sendable {
    private let descriptor: Int32

    init(path: String) throws(CaptureError) {
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CaptureError(message: "cannot append to the record \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Appends a line. Returns false if the line is not whole in the file, for example on a full disk. The write goes to the page cache and
    /// is quick enough for a thread of the cooperative pool.
    func append(line: [UInt8]) -> Bool {
        let bytes = line + [0x0A]
        return write(descriptor, bytes, bytes.count) == bytes.count
    }
}
