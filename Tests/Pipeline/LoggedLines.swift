import Logging
import Synchronization

/// The lines of a test's own log, of every level.
final class LoggedLines: Sendable {
    struct Line: Sendable, Equatable {
        let level: Logger.Level
        let message: String
    }

    private let lines = Mutex<[Line]>([])

    var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

    /// The lines of this level, in their order.
    func messages(_ level: Logger.Level) -> [String] { lines.withLock { $0.filter { $0.level == level }.map(\.message) } }

    private func add(_ line: Line) { lines.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.add(Line(level: event.level, message: event.message.description)) }
    }
}
