import Glibc

/// The folder of a `tidings dev`. Commands that run beside it find the addresses of the servers there.
public struct DevelopmentHome: Sendable {
    public static let defaultPath = ".tidings"

    public let path: String

    public init(path: String) {
        self.path = path
    }

    var environmentFile: String { path + "/env" }

    /// Returns `variables`. If they set no URL of a server, adds the URLs that a running `tidings dev` wrote.
    ///
    /// Throws a ``Failure`` with exit code 77 if another user can have written these. The command would send its password and its data to a
    /// server of that user.
    package func environment(over variables: [String: String]) throws -> [String: String] {
        var result = variables
        guard result["TIDINGS_AMQP_URL"] == nil, result["TIDINGS_DATABASE_URL"] == nil, let text = try Self.ownText(of: environmentFile)
        else { return result }
        for line in text.split(separator: "\n") where line.hasPrefix("TIDINGS_") {
            let pair = line.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
        }
        return result
    }

    /// The text of a file that this user alone can write. Nil if there is no such file.
    private static func ownText(of path: String) throws -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard isOwn(owner: status.st_uid, mode: status.st_mode, of: geteuid()) else {
            throw Failure(
                .notPermitted, "\(path) is not used, because another user can have written it",
                hint: "set TIDINGS_DATABASE_URL and TIDINGS_AMQP_URL, or run the command as the user who runs tidings dev")
        }
        return readRest(of: file).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Whether only the user can write a file with this owner and mode.
    static func isOwn(owner: uid_t, mode: mode_t, of user: uid_t) -> Bool { owner == user && mode & 0o022 == 0 }
}

/// A whole file as text; nil when it cannot be read or is not UTF-8.
package func readFile(_ path: String) -> String? {
    readBytes(path).flatMap { String(validating: $0, as: UTF8.self) }
}

/// A whole file, or standard input for `-`; nil when it cannot be read.
package func readBytes(_ path: String) -> [UInt8]? {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { if path != "-" { close(descriptor) } }
    return readRest(of: descriptor)
}

/// The bytes of an open file up to its end; nil when they cannot be read.
private func readRest(of descriptor: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0 { return nil }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}

/// Replaces a file in one step. Only its owner may read it.
package func writePrivately(_ text: String, to path: String) throws {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Failure(.config, "\(path) cannot be written: \(String(cString: strerror(errno)))") }
    defer { close(file) }
    let bytes = Array(text.utf8)
    guard write(file, bytes, bytes.count) == bytes.count, rename(draft, path) == 0 else {
        throw Failure(.config, "\(path) cannot be written: \(String(cString: strerror(errno)))")
    }
}
