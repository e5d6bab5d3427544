import Foundation
import Glibc
import Synchronization
import Testing
import TidingsJSON
import TidingsTestSupport

/// Reads the events of a person's stream, on a thread of its own.
final class StreamReader: Sendable {
    private let events: AsyncStream<(name: String, id: String?, data: JSON)>
    private let socket: SharedDescriptor
    private let last = Mutex<String?>(nil)

    /// - Parameters:
    ///   - token: nil: a token that the scene signs.
    ///   - lastEventID: the header of a client that reconnects.
    init(_ api: APIScene, person: String, token: String? = nil, lastEventID: String? = nil) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let shared = SharedDescriptor(socket)
        self.socket = shared
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t((api.url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0).bigEndian)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
        guard result == 0 else {
            shared.close()
            throw POSIXError(.ECONNREFUSED)
        }
        // A stream that stays silent must fail the test, not hold it.
        var limit = timeval(tv_sec: Patience.scaled(40), tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let resume = lastEventID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        let authorization = "Authorization: Bearer \(token ?? api.token(for: person))"
        let request = "GET /api/notifications/stream HTTP/1.1\r\nHost: x\r\n\(resume)\(authorization)\r\n\r\n"
        let bytes = Array(request.utf8)
        _ = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        let (events, teller) = AsyncStream.makeStream(of: (name: String, id: String?, data: JSON).self)
        self.events = events
        Thread.detachNewThread {
            var text = ""
            var buffer = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = recv(socket, &buffer, buffer.count, 0)
                guard count > 0 else {
                    teller.finish()
                    return shared.close()
                }
                text += String(decoding: buffer[..<count], as: UTF8.self)
                while let end = text.firstRange(of: "\n\n") {
                    let event = text[..<end.lowerBound]
                    text = String(text[end.upperBound...])
                    var (name, id, data) = (String?.none, String?.none, String?.none)
                    for line in event.split(whereSeparator: \.isNewline) {
                        if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                        if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
                        if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
                        // Lines of the chunked answer stand between the events, so a comment is no first line.
                        if line.hasPrefix(":") { teller.yield((Self.heartbeat, nil, .null)) }
                    }
                    if let name, let data, let json = try? JSON.parse(data) { teller.yield((name, id, json)) }
                }
            }
        }
    }

    deinit { socket.end() }

    /// The name of a comment, which keeps the connection alive.
    private static let heartbeat = ":"

    /// The id of the last event that ``next(_:sourceLocation:)`` has seen.
    var lastEventID: String? { last.withLock { $0 } }

    /// The data of the next event with this name. Nil if the stream ends before. Data that the OpenAPI document does not describe is
    /// recorded as an issue.
    func next(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSON? {
        for await event in events where event.name != Self.heartbeat {
            let faults = try OpenAPIDocument.standard().faults(ofEvent: event.name, data: event.data)
            #expect(faults.isEmpty, "\(event.data)", sourceLocation: sourceLocation)
            if let id = event.id { last.withLock { $0 = id } }
            if event.name == name { return event.data }
        }
        return nil
    }

    /// Waits for this many heartbeats, and returns the names of the events that came meanwhile.
    func names(untilHeartbeats count: Int) async -> [String] { await heard(untilHeartbeats: count).map { $0.name } }

    /// Waits for this many heartbeats, and returns the events that came meanwhile.
    func heard(untilHeartbeats count: Int) async -> [(name: String, data: JSON)] {
        var heard: [(name: String, data: JSON)] = []
        var heartbeats = 0
        for await event in events {
            if event.name == Self.heartbeat { heartbeats += 1 } else { heard.append((event.name, event.data)) }
            if heartbeats == count { return heard }
        }
        heard.append(("the stream ended", .null))
        return heard
    }
}
