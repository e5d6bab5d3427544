import Glibc

/// Reads and writes small text files that only their owner may read.
enum PrivateFile {
    /// Returns the text without surrounding white space; `nil` if the file is missing or empty.
    static func read(_ path: String, limitBytes: Int = 4096) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limitBytes)
        var count = 0
        while count < limitBytes {
            let step = readSome(file, &bytes, from: count)
            if step <= 0 { break }
            count += step
        }
        let text = trimmed(String(decoding: bytes.prefix(count), as: UTF8.self))
        return text.isEmpty ? nil : text
    }

    /// Replaces the file in one step, readable by its owner only. A reader sees the old text or the new text.
    static func write(_ text: String, to path: String, owner: Account? = nil) throws(PrivateServersError) {
        let draft = "\(path).new"
        try remove(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .cannotUse(path: path, reason: errorText(errno)) }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw .cannotUse(path: path, reason: errorText(errno))
        }
        if let owner, fchown(file, owner.userID, owner.groupID) != 0 {
            throw .cannotUse(path: path, reason: errorText(errno))
        }
        guard rename(draft, path) == 0 else { throw .cannotUse(path: path, reason: errorText(errno)) }
    }

    /// Deletes the file. A missing file is not an error.
    static func remove(_ path: String) throws(PrivateServersError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw .cannotUse(path: path, reason: errorText(errno)) }
    }

    /// Returns the secret in `path`. If the file is missing, makes a secret and writes it there.
    static func secret(_ path: String) throws(PrivateServersError) -> String {
        if let secret = read(path) { return secret }
        var generator = SystemRandomNumberGenerator()
        // 128 bits, in characters that need no quoting in a URL, a settings file or SQL.
        let digits = (0..<2).map { _ in
            let half = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - half.count) + half
        }
        let secret = digits.joined()
        try write(secret + "\n", to: path)
        return secret
    }

    /// Returns the last lines of a log, for an error message.
    static func lastLines(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        let end = lseek(file, 0, SEEK_END)
        lseek(file, max(0, end - off_t(logTailBytes)), SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: logTailBytes)
        let count = readSome(file, &bytes, from: 0)
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
        return lines.suffix(logTailLines).joined(separator: "\n")
    }

    /// Returns `text` without white space around it.
    static func trimmed(_ text: String) -> String {
        let isSpace: (Character) -> Bool = { $0.isWhitespace }
        return String(text.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }

    private static func readSome(_ file: CInt, _ bytes: inout [UInt8], from start: Int) -> Int {
        bytes.withUnsafeMutableBytes { buffer in
            Glibc.read(file, buffer.baseAddress.map { $0 + start }, buffer.count - start)
        }
    }

    /// Enough lines to show why a server failed.
    private static let logTailLines = 12
    private static let logTailBytes = 4096
}
