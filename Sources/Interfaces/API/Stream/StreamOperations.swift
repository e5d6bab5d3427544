import HTTPTypes
import TidingsCore
import TidingsHTTPServer
import TidingsStore
import TidingsWeb

/// The event stream of the person who asks.
struct StreamOperations: Sendable {
    let services: APIServices

    var all: [Operation] {
        [
            Operation(.get, "/api/notifications/stream", "streamNotifications", .person, opensStream: true) { try await stream($0) }
        ]
    }

    private func stream(_ call: APICall) async throws -> ServerResponse {
        guard case .person(let person, let proof) = call.caller else { throw Problem(.forbidden) }
        let last = LastEventID(call.request.header(.lastEventID), topics: services.hub.topics.count)
        guard let place = services.hub.open(person, known: last.topics) else {
            throw Problem.unavailable("The server is stopping.", retryAfter: .seconds(1))
        }
        let mailbox = place.mailbox
        try await services.hub.begin(mailbox, known: last.inbox)
        let clock = services.store.clock
        return ServerResponse(
            .ok, headers: Self.headers,
            body: .stream { stream in
                defer { place.end() }
                stream.connection.whenClosed { mailbox.connectionClosed() }
                // A process that is killed says no farewell, so the first event tells when to come back.
                var retry: Int? = Self.retry()
                while true {
                    let message = await mailbox.next()
                    // A heartbeat comes every few seconds, so a withdrawn key ends the stream soon.
                    guard proof.isGood(at: clock.now()) else { return try await stream.write(Self.farewell) }
                    switch message {
                    case .event(let event, let id):
                        try await stream.write(event.bytes(id: id, retry: retry))
                        retry = nil
                    case .news(let topic, let count, let id):
                        try await stream.write(ServerSentEvent(name: topic, id: id.text, data: "{\"new\":\(count)}").bytes)
                    case .heartbeat: try await stream.write(ServerSentEvent.heartbeat)
                    case .end: return try await stream.write(Self.farewell)
                    case .gone: return
                    }
                }
            })
    }

    /// nginx buffers answers unless `X-Accel-Buffering` says no.
    private static let headers: HTTPFields = [
        .contentType: "text/event-stream", .cacheControl: "no-store", .accelBuffering: "no",
    ]

    /// Tells the client when to reconnect.
    private static var farewell: [UInt8] { ServerSentEvent(name: "bye", retry: retry(), data: "{}").bytes }

    /// The times are spread, so that the clients of a process that stops do not come back all at once.
    private static func retry() -> Int { Int.random(in: APILimits.reconnect) }
}

extension HTTPField.Name {
    static let lastEventID = HTTPField.Name(known: "last-event-id")
    static let accelBuffering = HTTPField.Name(known: "x-accel-buffering")
}
