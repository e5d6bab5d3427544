public import Logging
import TidingsCore
import TidingsJSON
import TidingsStore

/// The format of a line of the log.
public enum LogFormat: String, CaseIterable, Sendable {
    /// For people.
    case text
    /// One object on each line.
    case json
}

/// Writes a line on standard error for each event: time, level, role, message, metadata.
/// A line never holds a body, an address or a secret.
public struct StandardErrorLog: LogHandler {
    public var logLevel: Logger.Level
    public var metadata: Logger.Metadata = [:]
    public var metadataProvider: Logger.MetadataProvider?
    private let label: String
    private let format: LogFormat

    /// `label` is the name of the role in each line.
    public init(label: String, level: Logger.Level = .notice, format: LogFormat = .text) {
        self.label = label
        self.format = format
        logLevel = level
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    public func log(event: LogEvent) {
        var all = metadata.merging(event.metadata ?? [:]) { _, new in new }
        if let error = event.error, all["error"] == nil { all["error"] = "\(error)" }
        let details = all.sorted { $0.key < $1.key }
        switch format {
        case .text: Output.note(text(event, details))
        case .json: Output.log(json(event, details))
        }
    }

    private func text(_ event: LogEvent, _ details: [(key: String, value: Logger.MetadataValue)]) -> String {
        let details = details.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
        return "\(Self.time()) \(event.level) \(label): \("\(event.message)".printable)\(details)"
    }

    /// Four members are always there. Metadata with the name of one of them gets an underscore at the end of its name.
    private func json(_ event: LogEvent, _ details: [(key: String, value: Logger.MetadataValue)]) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("time", Self.time())
        writer.member("level", event.level.rawValue)
        writer.member("role", label)
        writer.member("message", "\(event.message)")
        for (key, value) in details {
            writer.key(["time", "level", "role", "message"].contains(key) ? key + "_" : key)
            Self.write(value, to: &writer)
        }
        writer.endObject()
        return writer.text
    }

    private static func write(_ value: Logger.MetadataValue, to writer: inout JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .stringConvertible(let number as Int): writer.integer(number)
        case .stringConvertible(let other): writer.string("\(other)")
        case .array(let values):
            writer.beginArray()
            for value in values { write(value, to: &writer) }
            writer.endArray()
        case .dictionary(let members):
            writer.beginObject()
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                writer.key(key)
                write(value, to: &writer)
            }
            writer.endObject()
        }
    }

    private static func quoted(_ text: String) -> String {
        let plain = text.printable
        return plain.contains(" ") ? "\"\(plain)\"" : plain
    }

    private static func time() -> String { "\(DatabaseClock.local())" }
}
