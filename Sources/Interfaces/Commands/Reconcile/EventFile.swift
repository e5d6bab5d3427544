import Glibc
import TidingsServer

/// A file or standard input, read in pieces.
final class EventFile {
    /// The bytes of one piece.
    static let pieceBytes = 64 << 10

    private let descriptor: Int32
    private let name: String

    /// Throws a ``Failure`` if the file cannot be opened, or if standard input is a terminal, where nobody would type a million ids.
    ///
    /// - Parameter path: nil or `-` for standard input.
    init(_ path: String?) throws {
        guard let path, path != "-" else {
            guard isatty(STDIN_FILENO) == 0 else { throw Failure(.usage, "name a file with event ids, or pipe them to standard input") }
            (descriptor, name) = (STDIN_FILENO, "standard input")
            return
        }
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        name = path
        guard descriptor >= 0 else { throw Failure(.data, "cannot read \(path): \(String(cString: strerror(errno)))") }
    }

    deinit { if descriptor > STDIN_FILENO { close(descriptor) } }

    /// The next piece. Nil at the end of the file.
    func next() throws -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        while true {
            let count = read(descriptor, &piece, piece.count)
            if count > 0 { return Array(piece[..<count]) }
            if count == 0 { return nil }
            guard errno == EINTR else { throw Failure(.data, "cannot read \(name): \(String(cString: strerror(errno)))") }
        }
    }
}
