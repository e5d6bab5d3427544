import Foundation

/// One event of a stream.
struct ServerSentEvent: Hashable, Sendable {
    var event = "message"
    /// The last id that the stream has named.
    var id: String?
    /// Milliseconds to the next connection.
    var retry: Int?
    var data = ""
}

/// Reads server-sent events from pieces of bytes (HTML Living Standard, section 9.2.6). Pure.
struct ServerSentEventParser: Sendable {
    private var line: [UInt8] = []
    private var data: [String] = []
    private var event = ""
    private var id: String?
    private var retry: Int?
    private var endedWithReturn = false
    private var isFirstLine = true

    /// The most bytes of an event: far more than 50 ids and counts.
    static let maximumBytes = 256 << 10
    private var bytes = 0

    /// Returns the events that a piece completes. Nil if an event is too long: the connection has to be closed.
    mutating func read(_ piece: some Sequence<UInt8>) -> [ServerSentEvent]? {
        var events: [ServerSentEvent] = []
        for byte in piece {
            let isPairEnd = endedWithReturn && byte == UInt8(ascii: "\n")
            endedWithReturn = byte == UInt8(ascii: "\r")
            if isPairEnd { continue }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if let event = endLine() { events.append(event) }
            } else {
                bytes += 1
                guard bytes <= Self.maximumBytes else { return nil }
                line.append(byte)
            }
        }
        return events
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return dispatch() }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            take(String(decoding: line, as: UTF8.self), "")
            return nil
        }
        // A line that begins with a colon is a comment, such as a heartbeat.
        if colon == 0 {
            bytes -= line.count
            return nil
        }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        take(String(decoding: line[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self))
        return nil
    }

    private mutating func take(_ field: String, _ value: String) {
        switch field {
        case "event": event = value
        case "data": data.append(value)
        case "id": if !value.utf8.contains(0) { id = value }
        case "retry": if !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) { retry = Int(value) }
        default: break
        }
    }

    /// Ends an event at an empty line. A block without data is no event, except that its `retry` counts.
    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            data = []
            event = ""
            retry = nil
            bytes = 0
        }
        guard !data.isEmpty || retry != nil || event == "bye" else { return nil }
        return ServerSentEvent(
            event: event.isEmpty ? "message" : event, id: id, retry: retry, data: data.joined(separator: "\n"))
    }
}
