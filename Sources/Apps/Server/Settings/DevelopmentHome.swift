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
    package func environment(over variables: [String: String]) -> [String: String] {
        var result = variables
        guard result["TIDINGS_AMQP_URL"] == nil, result["TIDINGS_DATABASE_URL"] == nil, let text = readFile(environmentFile) else {
            return result
        }
        for line in text.split(separator: "\n") where line.hasPrefix("TIDINGS_") {
            let pair = line.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { result[String(pair[0])] = String(pair[1]) }
        }
        return result
    }
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
