import Glibc

/// The marks that distinguish one state of a file from another, without reading the file.
///
/// Packages and archives may replace a newer file with an older one and keep the older time of modification. The inode number and the time
/// of the last change of status reveal this.
struct FileStamp: Sendable, Hashable {
    private let number: UInt64
    private let size: Int64
    private let modifiedSeconds, modifiedNanoseconds, changedSeconds, changedNanoseconds: Int

    /// Nil when there is no such file or folder.
    init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        (modifiedSeconds, modifiedNanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        (changedSeconds, changedNanoseconds) = (status.st_ctim.tv_sec, status.st_ctim.tv_nsec)
    }

    /// The largest size that is read, in bytes. The largest zone file of today has 4 kB.
    private static let maximumSize = 256 * 1_024

    /// Reads a small file completely, with its stamp. Nil when there is no such file, or when it is a folder.
    static func read(_ path: String, zone: String) throws(TimeZoneError) -> (bytes: [UInt8], stamp: FileStamp)? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw TimeZoneError.unreadable(zone: zone, reason: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard status.st_size <= maximumSize else { throw TimeZoneError.unreadable(zone: zone, reason: "it is larger than any zone file") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let free = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return Glibc.read(descriptor, free.baseAddress, free.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw TimeZoneError.unreadable(zone: zone, reason: "it ends while being read") }
            filled += count
        }
        return (bytes, FileStamp(status))
    }
}
