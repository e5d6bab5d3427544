public import Logging
import Synchronization
public import TidingsCore

/// Logs each change of a breaker in one line, within the bounds of ``BreakerLines``.
public final class BreakerLog: Sendable {
    private let lines = Mutex(BreakerLines())
    private let logger: Logger

    public init(_ logger: Logger) { self.logger = logger }

    public func report(_ change: BreakerChange, of provider: String, at now: Timestamp) {
        for line in lines.withLock({ $0.lines(for: change, of: provider, at: now) }) {
            logger.log(level: line.level, "\(line.text)", metadata: line.metadata.mapValues { "\($0)" })
        }
    }
}

/// The log lines for each change of a breaker. This is a value: the time is passed in, and nothing is written here.
///
/// A host that opens and closes all the time gets one line of each kind a minute. If thousands of hosts fail, ``perMinute`` of them get
/// their line, and the others are counted.
struct BreakerLines {
    /// The number of changes in one minute that get a line of their own. It is enough to see which hosts fail, and keeps the log readable.
    static let perMinute = 20
    /// The time for which lines are counted.
    static let minute = Duration.seconds(60)

    struct Line: Equatable {
        let level: Logger.Level
        let text: String
        let metadata: [String: String]
    }

    private struct Key: Hashable {
        let provider: String
        let host: String?
        let isOfEndpoint: Bool
        let isOpening: Bool
    }

    private var since = Timestamp.distantPast
    private var written: Set<Key> = []
    private var opened = 0
    private var closed = 0
    private var isLimitTold = false

    mutating func lines(for change: BreakerChange, of provider: String, at now: Timestamp) -> [Line] {
        var lines: [Line] = []
        // A clock that was set back must not silence the log.
        if now < since || now - since >= Self.minute {
            if opened + closed > 0 { lines.append(summary) }
            (since, written, opened, closed, isLimitTold) = (now, [], 0, 0, false)
        }
        let isOpening = if case .opened = change.kind { true } else { false }
        let key = Key(provider: provider, host: change.host, isOfEndpoint: change.isOfEndpoint, isOpening: isOpening)
        if written.count < Self.perMinute, written.insert(key).inserted { return lines + [change.line(of: provider)] }
        if written.count == Self.perMinute, !isLimitTold {
            isLimitTold = true
            lines.append(Self.limitReached)
        }
        if isOpening { opened += 1 } else { closed += 1 }
        return lines
    }

    private var summary: Line {
        Line(
            level: .warning, text: "more circuit breakers changed within the last minute with changes",
            metadata: ["opened": "\(opened)", "closed": "\(closed)"])
    }

    private static let limitReached = Line(
        level: .warning, text: "many circuit breakers change: further changes of this minute are counted and not logged",
        metadata: ["logged": "\(perMinute)"])
}

extension BreakerChange {
    fileprivate func line(of provider: String) -> BreakerLines.Line {
        var metadata = ["provider": provider]
        metadata["host"] = host
        switch kind {
        case .opened(let failures, let pause):
            metadata["failures"] = "\(failures)"
            metadata["pauseSeconds"] = "\(pause.components.seconds)"
            let text =
                isOfEndpoint
                ? "an endpoint is failing: its circuit breaker opened, its deliveries wait or fail over"
                : "a provider is failing: its circuit breaker opened, deliveries wait or fail over"
            return BreakerLines.Line(level: .warning, text: text, metadata: metadata)
        case .closed(let failures, let duration):
            metadata["failures"] = "\(failures)"
            metadata["seconds"] = "\(duration.components.seconds)"
            let what = isOfEndpoint ? "an endpoint" : "a provider"
            return BreakerLines.Line(
                level: .notice, text: "\(what) has recovered: its circuit breaker closed after a trial call", metadata: metadata)
        }
    }
}
