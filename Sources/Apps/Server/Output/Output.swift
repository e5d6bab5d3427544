import Glibc
package import TidingsCore
package import TidingsJSON

/// How data is printed.
public enum OutputFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// An array for what may be several, also when it is one or none; an object for one thing.
    case json
    /// One object on each line.
    case jsonl
}

/// Where output goes: data on standard output, everything else on standard error.
package enum Output {
    /// Ends the process when standard output takes no more: an answer that is cut short must not look complete.
    package static func data(_ text: String) {
        let code = put(text + "\n", on: STDOUT_FILENO)
        if code != 0 { end(because: code) }
    }

    /// A note that nobody can read is dropped: a role goes on when its log has no reader.
    package static func note(_ text: String) { _ = put(text + "\n", on: STDERR_FILENO) }

    /// A list: a table for people, an array or lines for programs. `empty` is the note for an empty table.
    package static func list(_ rows: [JSON], as format: OutputFormat, empty: String) {
        switch format {
        case .json: data(JSON.array(rows).serialized)
        case .jsonl: for row in rows { data(row.serialized) }
        case .text: rows.isEmpty ? note(empty) : data(Table(rows).text)
        }
    }

    /// A list of faults. For people an empty one is the answer itself: `sound` goes to standard output.
    package static func faults(_ rows: [JSON], as format: OutputFormat, sound: String) {
        if rows.isEmpty, format == .text { data(sound) } else { list(rows, as: format, empty: "") }
    }

    /// One thing: its members below each other for people.
    package static func one(_ object: JSON, as format: OutputFormat) {
        switch format {
        case .json, .jsonl: data(object.serialized)
        case .text: data(Table.members(of: object))
        }
    }

    /// One screen of a command that prints again and again: the time first, and on a terminal the screen before it is cleared.
    package static func frame(at time: Timestamp) {
        let clear = isatty(STDOUT_FILENO) == 1 ? "\u{1B}[H\u{1B}[2J" : ""
        data("\(clear)\(time.rfc3339)")
    }

    /// - Returns: 0, or the error that ended it.
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

    /// A reader that has gone, as of `tidings status --watch | head -1`, ends the process as SIGPIPE would: shells know that as no error.
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
        exit(Failure.Code.outputLost.rawValue)
    }
}
