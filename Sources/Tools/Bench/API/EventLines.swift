/// Finds the data of the events `inbox` in the pieces of an event stream.
struct EventLines {
    private var line: [UInt8] = []
    private var isInbox = false

    private static let name = Array("event: inbox".utf8)
    private static let data = Array("data: ".utf8)
    /// The most bytes of a line. An event has some 250 bytes, and 40 more for each item that it names.
    private static let longestLine = 64 << 10

    /// Returns the data of the events that the piece completes. The API ends its lines with a line feed, and data has one line.
    mutating func read(_ piece: some Sequence<UInt8>) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for byte in piece {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.longestLine { line.append(byte) }
                continue
            }
            if line.isEmpty {
                isInbox = false
            } else if line == Self.name {
                isInbox = true
            } else if isInbox, line.starts(with: Self.data) {
                found.append(Array(line.dropFirst(Self.data.count)))
            }
            line.removeAll(keepingCapacity: true)
        }
        return found
    }
}
