import Glibc
package import TidingsCore
package import TidingsJSON

/// The format of printed data.
public enum OutputFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// An array if the answer may have several things, even if it has one or none. An object if the answer is always one thing.
    case json
    /// One object on each line.
    case jsonl
}

/// Prints data on standard output and everything else on standard error.
package enum Output {
    /// Prints data for programs, unchanged. Ends the process if standard output takes no more: an answer that is cut short must not look
    /// complete.
    package static func data(_ text: String) { part(text + "\n") }

    /// Prints a part of a document for programs, unchanged. Ends the process as ``data(_:)`` does.
    package static func part(_ text: String) {
        let code = put(text, on: STDOUT_FILENO)
        if code != 0 { end(because: code) }
    }

    /// Prints data for people, which may have several lines. Characters that are not printable become spaces.
    package static func text(_ text: String) { data(printableLines(text)) }

    /// Prints a note for people, as ``text(_:)`` does. Drops the note if standard error takes no more: a role goes on when its log has no
    /// reader.
    package static func note(_ text: String) { log(printableLines(text)) }

    /// Prints a line of a log for programs on standard error, unchanged.
    static func log(_ line: String) { _ = put(line + "\n", on: STDERR_FILENO) }

    private static func printableLines(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(\.printable).joined(separator: "\n")
    }

    /// Prints a list: a table for people, an array or lines for programs. `empty` is the note for an empty table.
    package static func list(_ rows: [JSON], as format: OutputFormat, empty: String) {
        switch format {
        case .json: data(JSON.array(rows).serialized)
        case .jsonl: for row in rows { data(row.serialized) }
        case .text: rows.isEmpty ? note(empty) : text(Table(rows).text)
        }
    }

    /// Prints a list of faults. For people an empty list is an answer too: `sound` goes to standard output.
    package static func faults(_ rows: [JSON], as format: OutputFormat, sound: String) {
        if rows.isEmpty, format == .text { text(sound) } else { list(rows, as: format, empty: "") }
    }

    /// Prints one thing. For people, each member stands on its own line.
    package static func one(_ object: JSON, as format: OutputFormat) {
        switch format {
        case .json, .jsonl: data(object.serialized)
        case .text: text(Table.members(of: object))
        }
    }

    /// Begins one screen of a command that prints again and again. Prints the time, and clears the previous screen on a terminal.
    package static func frame(at time: Timestamp) {
        let clear = isatty(STDOUT_FILENO) == 1 ? "\u{1B}[H\u{1B}[2J" : ""
        data("\(clear)\(time.rfc3339)")
    }

    /// - Returns: 0, or the error number that ended the write.
    private static func put(_ text: String, on descriptor: Int32) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if count == 0 {
                return EIO
            } else if errno == EAGAIN {
                // Another program has made the shared pipe or terminal non-blocking: wait for room.
                var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&place, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Ends the process. If the reader has gone, as in `tidings status --watch | head -1`, SIGPIPE ends it: shells take that for no error.
    private static func end(because code: Int32) -> Never {
        if code == EPIPE {
            signal(SIGPIPE, SIG_DFL)
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(SIGPIPE)
        }
        note("tidings: standard output cannot be written: \(String(cString: strerror(code)))")
        ProcessEnd.now(Failure.Code.outputLost.rawValue)
    }
}
