import HTTPTypes
import Logging
import Testing
import TidingsHTTPServer
import TidingsTestSupport

/// Streamed answers to clients that take them at once, slowly, or not at all.
@Suite(.timeLimit(.minutes(Patience.scaled(1)))) struct StreamedAnswerTests {
    private static let request = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n"

    /// More than the kernel keeps for a client that reads nothing.
    private static let large = [UInt8](repeating: UInt8(ascii: "a"), count: 16 << 20)

    /// Answers `/large` with a body that is written by one call, `/whole` with the same body and its length, and every other path with a
    /// short text.
    ///
    /// - Parameter writing: gets an element when the call has returned, and ends when the stream ends.
    private static func withServer(
        _ limits: HTTPServerLimits = HTTPServerLimits(), body: [UInt8], writing: AsyncStream<Void>.Continuation,
        _ test: (_ port: Int) async throws -> Void
    ) async throws {
        let configuration = HTTPServerConfiguration(host: "127.0.0.1", port: 0, limits: limits)
        let server = HTTPServer(configuration, logger: Logger(label: "test")) { request in
            if request.path == "/whole" { return ServerResponse(.ok, body: .bytes(body), closesConnection: true) }
            guard request.path == "/large" else { return ServerResponse(.ok, body: .bytes(Array("ok".utf8))) }
            return ServerResponse(
                .ok,
                body: .stream { stream in
                    defer { writing.finish() }
                    try await stream.write(body)
                    writing.yield()
                })
        }
        try await server.run { port in try await test(port) }
    }

    @Test func aStreamedBodyArrivesWholeAndInParts() async throws {
        // A part that is lost, repeated or out of order changes the text.
        let letters = (UInt8(ascii: "a")...UInt8(ascii: "z")).map { [UInt8](repeating: $0, count: 1_000) }
        let body = (0..<4_200).flatMap { letters[$0 % letters.count] }
        let (_, writing) = AsyncStream.makeStream(of: Void.self)
        try await Self.withServer(body: body, writing: writing) { port in
            let client = try RawClient(port: port)
            client.send(Self.request)
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            let text = await client.readToEnd()
            let chunks = try #require(Self.chunks(of: text), "the body breaks off")
            let whole: [UInt8] = chunks.reduce(into: []) { $0 += $1 }
            let isWhole = whole == body
            #expect(isWhole, "\(chunks.map(\.count))")
            #expect(chunks.allSatisfy { $0.count <= HTTPServerLimits().answerPartBytes }, "\(chunks.map(\.count))")
        }
    }

    /// Otherwise the connection would hold a copy of all that was written, for as long as its client likes.
    @Test func aWriterWaitsForAClientThatReadsNothing() async throws {
        // The client reads nothing while other requests are answered, and keeps its connection.
        var limits = HTTPServerLimits()
        limits.writeStall = .seconds(60).patient
        let (written, writing) = AsyncStream.makeStream(of: Void.self)
        try await Self.withServer(limits, body: Self.large, writing: writing) { port in
            let client = try RawClient(port: port)
            client.send(Self.request)
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            // The server had the time to write when other requests were answered.
            let other = try RawClient(port: port)
            for _ in 0..<5 {
                other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await other.read(until: "ok").hasPrefix("HTTP/1.1 200 "))
            }
            var hasReturned = false
            if case .terminated = writing.yield() { hasReturned = true }
            #expect(!hasReturned)
            let text = await client.readToEnd()
            let chunks = try #require(Self.chunks(of: text), "the body breaks off")
            #expect(chunks.map(\.count).reduce(0, +) == Self.large.count)
            for await _ in written {}
        }
    }

    /// The client takes three times the stall bound for a part of the answer that is larger than what the kernel keeps. Each step takes a
    /// quarter of the bound.
    @Test(arguments: ["/large", "/whole"])
    func aClientThatTakesPartsSlowlyKeepsItsConnection(path: String) async throws {
        let stall = Duration.seconds(2).patient
        var limits = HTTPServerLimits()
        limits.writeStall = stall
        let (_, writing) = AsyncStream.makeStream(of: Void.self)
        try await Self.withServer(limits, body: Self.large, writing: writing) { port in
            let client = try RawClient(port: port, buffering: 64 << 10)
            client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            let slowly = await client.read(bytes: 2 * limits.answerPartBytes, times: 12, every: stall / 4)
            let body = slowly + (await client.readToEnd())
            let taken: Int? = path == "/whole" ? body.utf8.count : Self.chunks(of: body)?.map(\.count).reduce(0, +)
            #expect(taken == Self.large.count, "the body breaks off after \(body.utf8.count) bytes")
        }
    }

    @Test func aClientThatTakesNothingLosesItsConnection() async throws {
        var limits = HTTPServerLimits()
        limits.writeStall = .milliseconds(300)
        let (written, writing) = AsyncStream.makeStream(of: Void.self)
        try await Self.withServer(limits, body: Self.large, writing: writing) { port in
            let client = try RawClient(port: port)
            client.send(Self.request)
            var hasReturned = false
            for await _ in written { hasReturned = true }
            #expect(!hasReturned)
            #expect(await client.readToEnd().utf8.count < Self.large.count)
        }
    }

    /// The chunks of a body (RFC 9112, section 7.1). Nil if the last one is missing.
    private static func chunks(of body: String) -> [[UInt8]]? {
        var rest = Array(body.utf8)[...]
        var chunks: [[UInt8]] = []
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")) {
            guard let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) else { return nil }
            guard size > 0 else { return chunks }
            let data = rest[end...].dropFirst(2).prefix(size)
            guard data.count == size else { return nil }
            chunks.append(Array(data))
            rest = rest[data.endIndex...].dropFirst(2)
        }
        return nil
    }
}
