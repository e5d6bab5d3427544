import Foundation
import Glibc
import TidingsTestSupport

/// A file system for the database's data alone, small enough to be filled.
struct DataDisk: Sendable {
    /// Room for some tens of MB of data, and for the log of everything that a row writes. No checkpoint drops any of that log before the
    /// row ends.
    private static let megabytes = 1_500

    private let path: String
    private var filler: String { "\(path)/filler" }

    /// The disk for the data of private servers in `folder`.
    init(below folder: String) { path = "\(folder)/servers/postgresql" }

    /// The disk for a folder with a server's data.
    init(at path: String) { self.path = path }

    /// Mounts the file system. Call this before the servers start.
    func mount() async throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try await Self.run("/bin/mount", "-t", "tmpfs", "-o", "size=\(Self.megabytes)m,mode=755", "tmpfs", path)
    }

    func unmount() async throws { try await Self.run("/bin/umount", path) }

    /// Fills the file system to the last byte.
    func fill() throws {
        let file = open(filler, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw TestSystemError(message: "cannot write \(filler)") }
        defer { close(file) }
        let block = [UInt8](repeating: 0, count: 1 << 20)
        var size = block.count
        while size > 0 {
            if write(file, block, size) != size { size /= 2 }
        }
    }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: filler) }

    private static func run(_ command: String...) async throws {
        let result = try await TestProcess(command, environment: [:]).finish()
        guard result.exitCode == 0 else { throw TestSystemError(message: "\(command): \(result.errors)") }
    }
}
