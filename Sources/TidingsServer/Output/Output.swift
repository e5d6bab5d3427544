public import ArgumentParser
import Glibc
import TidingsWire

/// How data is printed.
public enum OutputFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// For people.
    case text
    /// An array for a list, an object for one thing.
    case json
    /// One object on each line.
    case jsonl
}

/// Where output goes: data on standard output, everything else on standard error.
enum Output {
    static func data(_ text: String) { put(text + "\n", on: STDOUT_FILENO) }
    static func note(_ text: String) { put(text + "\n", on: STDERR_FILENO) }

    /// A list: a table for people, an array or lines for programs.
    static func list(_ rows: [JSON], as format: OutputFormat, empty: String) {
        switch format {
        case .json: data(JSON.array(rows).serialized)
        case .jsonl: for row in rows { data(row.serialized) }
        case .text: rows.isEmpty ? note(empty) : data(Table(rows).text)
        }
    }

    /// One thing: its members below each other for people.
    static func one(_ object: JSON, as format: OutputFormat) {
        switch format {
        case .json, .jsonl: data(object.serialized)
        case .text: data(Table.members(of: object))
        }
    }

    private static func put(_ text: String, on descriptor: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            // Whoever read us has gone: nothing more to say.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
