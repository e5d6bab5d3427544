import FoundationEssentials
import HTTPTypes
import Logging
import Synchronization
import Testing
import TidingsHTTPServer
import TidingsTestSupport

/// The limits of the server, and its answers to bytes that no HTTP library would send.
@Suite struct HTTPServerTests {
    /// Small limits, so that no test sends much.
    private static let limits: HTTPServerLimits = {
        var limits = HTTPServerLimits()
        limits.idle = .seconds(5).patient
        // Tests of many exchanges keep a request open. Only a slow machine needs the time.
        limits.request = limits.request.patient
        limits.headerBytes = 4_096
        limits.headerFieldBytes = 2_048
        limits.headerFields = 20
        limits.bodyBytes = 1_000
        return limits
    }()

    /// A request has little time, so that a test of slow requests waits shortly. A busy machine may be too slow for it.
    private static let hurried: HTTPServerLimits = {
        var limits = HTTPServerTests.limits
        limits.request = .milliseconds(300)
        return limits
    }()

    /// Echoes the method, the path and the body.
    private static func withServer(
        _ limits: HTTPServerLimits = limits, handler: @escaping HTTPServer.Handler = echo, _ body: (RawClient) async throws -> Void
    ) async throws {
        let server = HTTPServer(
            HTTPServerConfiguration(host: "127.0.0.1", port: 0, limits: limits), logger: Logger(label: "test"), handler: handler)
        try await server.run { port in try await body(try RawClient(port: port)) }
    }

    private static let echo: HTTPServer.Handler = { request in
        do throws(ServerRequestBody.Failure) {
            let body = try await request.body.bytes(upTo: limits.bodyBytes)
            return ServerResponse(.ok, body: .bytes(Array("\(request.method) \(request.path) ".utf8) + body))
        } catch {
            switch error {
            case .tooLarge: return ServerResponse(.contentTooLarge)
            case .tooSlow: return ServerResponse(.requestTimeout)
            case .broken: return ServerResponse(.badRequest)
            }
        }
    }

    @Test func oneConnectionServesManyRequests() async throws {
        try await Self.withServer { client in
            client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
            #expect(await client.read(until: "POST /a abc").hasPrefix("HTTP/1.1 200 OK\r\n"))
            // Two at once: the second waits for its turn.
            client.send("GET /b HTTP/1.1\r\nHost: x\r\n\r\nGET /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let answers = await client.readToEnd()
            #expect(answers.contains("GET /b ") && answers.hasSuffix("GET /c "), "\(answers)")
        }
    }

    @Test(arguments: [
        "GARBAGE\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nBad Name: 1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x3\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        "GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n",
    ])
    func bytesThatMayMeanTwoThingsAreRefused(_ bytes: String) async throws {
        try await Self.withServer { client in
            client.send(bytes)
            client.finish()
            let answer = await client.readToEnd()
            #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "one answer and no second request")
        }
    }

    @Test(arguments: [
        "X: \(String(repeating: "a", count: 3_000))\r\n",
        String(repeating: "X-Y: \(String(repeating: "a", count: 900))\r\n", count: 6),
        (0..<30).map { "X-\($0): a\r\n" }.joined(),
    ])
    func headersBeyondALimitAreRefused(_ headers: String) async throws {
        try await Self.withServer { client in
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\(headers)\r\n")
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 431 "))
        }
    }

    @Test func aSlowHeadAndASlowBodyAreRefused() async throws {
        try await Self.withServer(Self.hurried) { client in
            client.send("GET / HTTP/1.1\r\nHo")
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 408 "))
        }
        try await Self.withServer(Self.hurried) { client in
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test func aBodyBeyondTheLimitIsRefusedAndTheAnswerArrives() async throws {
        try await Self.withServer { client in
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: 100_000))
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 413 "))
        }
        try await Self.withServer { client in
            let chunk = "3e8\r\n\(String(repeating: "a", count: 1_000))\r\n"
            client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(chunk)\(chunk)0\r\n\r\n")
            #expect(await client.readToEnd().hasPrefix("HTTP/1.1 413 "))
        }
    }

    /// The kernel holds the body, so that a request whose caller is not known yet costs little memory.
    @Test func aBodyStaysWithItsClientUntilItIsAskedFor() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let handler: HTTPServer.Handler = { request in
            guard request.method == .post else { return ServerResponse(.ok, body: .bytes(Array("ok".utf8))) }
            for await _ in gate {}
            let body = try? await request.body.bytes(upTo: 1_000_000)
            return ServerResponse(.ok, body: .bytes(Array("\(body?.count ?? 0) bytes".utf8)))
        }
        try await Self.withServer(handler: handler) { client in
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n" + String(repeating: "a", count: 200_000))
            // The server had the time to read when other requests were answered.
            let other = try RawClient(port: client.port)
            for _ in 0..<50 {
                other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await other.read(until: "ok").hasPrefix("HTTP/1.1 200 "))
            }
            #expect(try client.bytesUnreadByServer() > 0)
            open.finish()
            #expect(await client.read(until: "200000 bytes").hasPrefix("HTTP/1.1 200 "))
            // The connection serves the next body as well.
            client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: 100_000))
            #expect(await client.read(until: "100000 bytes").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func twoBodiesAtOnceAreReadInTheirOrder() async throws {
        try await Self.withServer { client in
            let (first, second) = (String(repeating: "a", count: 900), String(repeating: "b", count: 1_000))
            client.send("POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n\(first)")
            client.send("POST /2 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1000\r\n\r\n\(second.prefix(10))")
            #expect(await client.read(until: "POST /1 \(first)").hasPrefix("HTTP/1.1 200 "))
            client.send(String(second.dropFirst(10)))
            #expect(await client.readToEnd().hasSuffix("POST /2 \(second)"))
        }
    }

    @Test func aClientThatAsksFirstIsAnsweredBeforeItsBody() async throws {
        try await Self.withServer { client in
            client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
            client.send("abc")
            #expect(await client.read(until: "POST / abc").hasPrefix("HTTP/1.1 200 "))
        }
        try await Self.withServer { client in
            client.send("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n")
            #expect(await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test func aProtocolChangeIsNotCarriedOut() async throws {
        try await Self.withServer { client in
            client.send(
                "GET /u HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
            let answer = await client.readToEnd()
            #expect(answer.contains("GET /u ") && !answer.contains("smuggled"), "\(answer)")
        }
        try await Self.withServer { client in
            client.send("CONNECT other:443 HTTP/1.1\r\nHost: other:443\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await !client.readToEnd().contains("smuggled"))
        }
    }

    @Test func aStreamEndsWithItsClient() async throws {
        let (ended, note) = AsyncStream.makeStream(of: Void.self)
        let handler: HTTPServer.Handler = { _ in
            ServerResponse(
                .ok,
                body: .stream { stream in
                    let (closed, close) = AsyncStream.makeStream(of: Void.self)
                    stream.connection.whenClosed { close.finish() }
                    try await stream.write(Array("first\n".utf8))
                    for await _ in closed {}
                    note.finish()
                })
        }
        try await Self.withServer(handler: handler) { client in
            client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await client.read(until: "first\n\r\n").contains("200 OK"))
            client.finish()
            for await _ in ended {}
        }
    }

    /// A client that takes nothing of a large answer keeps its share of the memory, so it gets no second one.
    @Test func anAnswerIsRetainedUntilItIsTaken() async throws {
        let (released, note) = AsyncStream.makeStream(of: Void.self)
        let handler: HTTPServer.Handler = { request in
            guard request.path == "/large" else { return ServerResponse(.ok, body: .bytes(Array("ok".utf8))) }
            var response = ServerResponse(.ok, body: .bytes([UInt8](repeating: UInt8(ascii: "a"), count: 32 << 20)))
            response.retained = Held(note)
            return response
        }
        try await Self.withServer(handler: handler) { client in
            client.send("GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(await client.read(until: "\r\n\r\n").lowercased().contains("content-length: 33554432\r\n"))
            // The server had the time to write when other requests were answered.
            let other = try RawClient(port: client.port)
            for _ in 0..<50 {
                other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await other.read(until: "ok").hasPrefix("HTTP/1.1 200 "))
            }
            var isReleased = false
            if case .terminated = note.yield() { isReleased = true }
            #expect(!isReleased)
            #expect(await client.readToEnd().utf8.count == 32 << 20)
            for await _ in released {}
        }
    }

    // MARK: Connections

    private static let hello = "GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"

    /// The third connection is answered at once, before it has sent anything.
    @Test func anAddressHasABoundOfConnections() async throws {
        var limits = Self.limits
        limits.connectionsPerGroup = 2
        try await Self.withServer(limits) { first in
            let second = try RawClient(port: first.port)
            for client in [first, second] {
                client.send(Self.hello)
                #expect(await client.read(until: "GET /hello ").hasPrefix("HTTP/1.1 200 "))
            }
            #expect(try await RawClient(port: first.port).readToEnd().hasPrefix("HTTP/1.1 429 "))
            // A connection that ends gives its place back.
            second.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            _ = await second.readToEnd()
            var isServed = false
            for _ in 0..<200 where !isServed {
                let next = try RawClient(port: first.port)
                next.send(Self.hello)
                isServed = await next.read(until: "\r\n").hasPrefix("HTTP/1.1 200 ")
            }
            #expect(isServed)
        }
    }

    /// The owner of the server counts new connections, and gets the group of each.
    @Test func theOwnerMayRefuseAConnection() async throws {
        let groups = Mutex<[String]>([])
        let configuration = HTTPServerConfiguration(
            host: "127.0.0.1", port: 0, limits: Self.limits, connectionGroup: { "group of \($0)" },
            admitsConnection: { group in
                groups.withLock { groups in
                    groups.append(group)
                    return groups.count == 1
                }
            })
        try await HTTPServer(configuration, logger: Logger(label: "test"), handler: Self.echo).run { port in
            let first = try RawClient(port: port)
            first.send(Self.hello)
            #expect(await first.read(until: "GET /hello ").hasPrefix("HTTP/1.1 200 "))
            #expect(try await RawClient(port: port).readToEnd().hasPrefix("HTTP/1.1 429 "))
            first.send(Self.hello)
            #expect(await first.read(until: "GET /hello ").hasPrefix("HTTP/1.1 200 "))
        }
        #expect(groups.withLock { $0 } == ["group of 127.0.0.1", "group of 127.0.0.1"])
    }

    @Test func aFullServerSaysSo() async throws {
        var limits = Self.limits
        limits.connections = 2
        limits.spareConnections = 4
        try await Self.withServer(limits) { first in
            let second = try RawClient(port: first.port)
            for client in [first, second] {
                client.send(Self.hello)
                #expect(await client.read(until: "GET /hello ").hasPrefix("HTTP/1.1 200 "))
            }
            for _ in 0..<10 {
                let beyond = try RawClient(port: first.port)
                beyond.send(Self.hello)
                let answer = await beyond.readToEnd()
                #expect(answer.hasPrefix("HTTP/1.1 503 ") && !answer.contains("/hello"), "\(answer)")
            }
            // The clients that were there before are served as usual.
            for client in [first, second] {
                client.send(Self.hello)
                #expect(await client.read(until: "GET /hello ").hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    // MARK: Streams

    /// The client has ended before its answer begins. No later event would end the stream.
    @Test func aStreamOfAClientThatHasEndedIsReleased() async throws {
        let (released, note) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let handler: HTTPServer.Handler = { request in
            guard request.path == "/stream" else { return ServerResponse(.ok, body: .bytes(Array("ok".utf8))) }
            let held = Held(note)
            for await _ in begun {}
            return ServerResponse(
                .ok,
                body: .stream { stream in
                    let (closed, close) = AsyncStream.makeStream(of: Void.self)
                    stream.connection.whenClosed { close.finish() }
                    try await stream.write(Array("first\n".utf8))
                    for await _ in closed {}
                    withExtendedLifetime(held) {}
                })
        }
        try await Self.withServer(handler: handler) { client in
            client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
            client.finish()
            // The end has arrived when a later request was answered a few times.
            let other = try RawClient(port: client.port)
            for _ in 0..<50 {
                other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await other.read(until: "ok").hasPrefix("HTTP/1.1 200 "))
            }
            begin.finish()
            for await _ in released {}
        }
    }

    /// A stream that never begins holds nothing: the client asks for the head alone, or resets the connection before the answer.
    @Test(arguments: ["HEAD", "GET"])
    func aStreamThatNeverBeginsIsReleased(method: String) async throws {
        let (released, note) = AsyncStream.makeStream(of: Void.self)
        let (arrived, arrive) = AsyncStream.makeStream(of: Void.self)
        let (gone, leave) = AsyncStream.makeStream(of: Void.self)
        let handler: HTTPServer.Handler = { request in
            let held = Held(note)
            arrive.finish()
            if request.method == .get { for await _ in gone {} }
            return ServerResponse(
                .ok,
                body: .stream { stream in
                    try await stream.write(Array("first\n".utf8))
                    withExtendedLifetime(held) {}
                })
        }
        try await Self.withServer(handler: handler) { client in
            client.send("\(method) / HTTP/1.1\r\nHost: x\r\n\r\n")
            for await _ in arrived {}
            if method == "GET" { client.reset() }
            leave.finish()
            for await _ in released {}
        }
    }

    /// The rest of a request that was refused as too slow arrives before the connection is closed.
    @Test func aRefusedRequestIsNeverCarriedOut() async throws {
        let calls = Mutex(0)
        let handler: HTTPServer.Handler = { _ in
            calls.withLock { $0 += 1 }
            return ServerResponse(.ok)
        }
        try await Self.withServer(Self.hurried, handler: handler) { client in
            client.send("GET / HTTP/1.1\r\nHo")
            #expect(await client.read(until: "408 request timeout\n").hasPrefix("HTTP/1.1 408 "))
            client.send("st: x\r\n\r\n")
            _ = await client.readToEnd()
        }
        #expect(calls.withLock { $0 } == 0)
    }

    @Test func aTakenPortIsTold() async throws {
        let server = HTTPServer(HTTPServerConfiguration(host: "127.0.0.1", port: 0), logger: Logger(label: "test"), handler: Self.echo)
        try await server.run { port in
            let second = HTTPServer(
                HTTPServerConfiguration(host: "127.0.0.1", port: port), logger: Logger(label: "test"), handler: Self.echo)
            let error = await #expect(throws: HTTPServerError.self) { try await second.run { _ in } }
            #expect(error?.isAddressInUse == true, "\(String(describing: error))")
        }
    }
}

/// Tells when the last reference to it is gone.
private final class Held: Sendable {
    private let note: AsyncStream<Void>.Continuation

    init(_ note: AsyncStream<Void>.Continuation) { self.note = note }

    deinit { note.finish() }
}
