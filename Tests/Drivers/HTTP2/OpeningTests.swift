import Glibc
import Testing
import TidingsHTTP
import TidingsHTTP2Server
import TidingsSocket
import TidingsTestSupport
import TidingsWaiting

@testable import TidingsHTTP2

/// Opening a connection, up to one that can be used or to a failure.
@Suite struct OpeningTests {
    enum Farewell: CaseIterable {
        case closes, resets, goesAway, isNotHTTP2
    }

    /// The server has processed nothing, so sending the request again causes no duplicate.
    @Test(arguments: Farewell.allCases)
    func anOpeningThatEndsBeforeTheServersSettingsIsNoConnection(_ farewell: Farewell) async throws {
        try await RawServer.run { server, transport in
            async let result = transport.send(.patient(path: "/"))
            let connection = try await server.accept()
            switch farewell {
            case .closes: connection.close()
            case .resets: connection.reset()
            case .goesAway: connection.send([.goAway(lastStream: 0)])
            case .isNotHTTP2: connection.send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            }
            let failure = await result.failure
            #expect(failure?.kind == .connect)
            #expect(failure?.requestMayHaveArrived == false)
            #expect(failure?.message.hasPrefix("127.0.0.1:\(server.port): ") == true)
        }
    }

    // MARK: Pauses

    @Test func aServerThatRefusesEveryConnectionIsAskedLessAndLess() async throws {
        try await RawServer.run(backlog: nil) { server, transport in
            let began = ContinuousClock.now
            for _ in 1...4 {
                #expect(await transport.send(.patient(path: "/")).failure?.kind == .connect)
            }
            let pauses = (1...3).map { OpeningPause.backoff.pause(afterFailure: $0, random: 0) }.reduce(.zero, +)
            #expect(pauses == .milliseconds(350))
            #expect(began.duration(to: .now) >= pauses)
            let hasty = await transport.send(HTTP2Request(path: "/hasty", totalTimeout: .milliseconds(50))).failure
            #expect(hasty?.kind == .connect)
            #expect(hasty?.requestMayHaveArrived == false)
            // A request with enough time waits for the end of the pause.
            server.listen(backlog: 16)
            async let patient = transport.send(.patient(path: "/patient"))
            let connection = try await server.accept(sending: .settings)
            #expect(try await connection.next(RawFrame.head).stream == 1)
            connection.send([.answer(1)])
            #expect(await patient.status == 200)
        }
    }

    @Test func aServerThatSendsEverythingAwayIsAskedLessAndLess() async throws {
        try await TestServer.run(firstStreams: 100) { _, _ in
            .goAway(processed: false, words: "")
        } _: { server in
            let began = ContinuousClock.now
            let failure = await server.transport.send(.patient(path: "/")).failure
            #expect(failure?.kind == .connect)
            #expect(failure?.requestMayHaveArrived == false)
            #expect(server.log.connections == [1, 2, 3, 4])
            #expect(began.duration(to: .now) >= .milliseconds(350))
        }
    }

    @Test func pausesDoubleUpToTheirCap() {
        let backoff = OpeningPause.backoff
        let whole = (1...9).map { backoff.pause(afterFailure: $0, random: 1) }
        #expect(whole.prefix(3) == [.milliseconds(100), .milliseconds(200), .milliseconds(400)])
        #expect(whole.last == OpeningPause.cap)
        for failures in [1, 5, 40, Int.max] {
            let (shortest, longest) = (backoff.pause(afterFailure: failures, random: 0), backoff.pause(afterFailure: failures, random: 1))
            #expect(shortest == longest / 2)
        }
    }

    @Test func failuresDuringAPauseCountOnce() {
        let now = ContinuousClock.now
        var pause = OpeningPause()
        #expect(pause.end(at: now) == nil)
        pause.begin(after: "first", at: now, random: 1)
        pause.begin(after: "second", at: now, random: 1)
        #expect(pause.end(at: now) == now + .milliseconds(100))
        #expect(pause.problem(at: now) == "first")
        let later = now + .milliseconds(100)
        #expect(pause.end(at: later) == nil)
        #expect(pause.problem(at: later) == nil)
        pause.begin(after: "third", at: later, random: 1)
        #expect(pause.end(at: later) == later + .milliseconds(200))
        pause.reset()
        #expect(pause.end(at: later) == nil)
        pause.begin(after: "fourth", at: later, random: 1)
        #expect(pause.end(at: later) == later + .milliseconds(100))
    }

    // MARK: Streams

    @Test func aServerThatAllowsNoStreamsIsNoConnection() async throws {
        try await TestServer.run(firstStreams: 0, connectTimeout: .seconds(1)) { _, _ in
            response()
        } _: { server in
            let failure = await server.transport.send(.patient(path: "/")).failure
            #expect(failure?.kind == .connect)
            #expect(failure?.requestMayHaveArrived == false)
            #expect(failure?.message.contains("allows no streams") == true)
            #expect(server.log.all.isEmpty)
        }
    }

    @Test func aServerThatCeasesToAllowStreamsIsLeft() async throws {
        try await RawServer.run(connectTimeout: .seconds(2).patient) { server, transport in
            async let first = transport.send(.patient(path: "/first"))
            let connection = try await server.accept(sending: .settings)
            #expect(try await connection.next(RawFrame.head).stream == 1)
            connection.send([.settings(maximumStreams: 0), .answer(1)])
            #expect(await first.status == 200)
            let second = await transport.send(.patient(path: "/second")).failure
            #expect(second?.kind == .connect)
            #expect(second?.requestMayHaveArrived == false)
            async let third = transport.send(.patient(path: "/third"))
            let another = try await server.accept(sending: .settings)
            #expect(try await another.next(RawFrame.head).stream == 1)
            another.send([.answer(1)])
            #expect(await third.status == 200)
        }
    }

    // MARK: Addresses

    /// The dead address takes no connection, or takes it and stays silent.
    @Test(arguments: [0, 16] as [Int32])
    func aDeadAddressLeavesTimeForTheNext(backlog: Int32) async throws {
        let (dead, live) = (try RawServer(backlog: backlog), try RawServer())
        let crowd = (0..<(backlog == 0 ? 3 : 0)).compactMap { _ in dead.address.connectingSocket() }
        defer { crowd.forEach { close($0) } }
        async let accepted = live.accept()
        let step = try await open([dead.address, live.address], trusting: live.authorityFile, within: .seconds(4).patient)
        guard case .done = step else {
            Issue.record("\(step)")
            return
        }
        _ = try await accepted
    }

    @Test func deadAddressesAreNotTriedForLonger() async throws {
        let dead = try RawServer()
        let began = ContinuousClock.now
        let step = try await open([dead.address, dead.address, dead.address], trusting: dead.authorityFile, within: .milliseconds(300))
        guard case .failed(let failure) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(failure.kind == .connect)
        #expect(failure.message.contains("no connection in time"))
        #expect(began.duration(to: .now) >= .milliseconds(300))
    }

    @Test func anAddressThatRefusesIsFollowedByTheNextAtOnce() async throws {
        let (closed, live) = (try RawServer(backlog: nil), try RawServer())
        async let accepted = live.accept()
        let step = try await open([closed.address, live.address], trusting: live.authorityFile, within: .seconds(60).patient)
        guard case .done = step else {
            Issue.record("\(step)")
            return
        }
        _ = try await accepted
    }

    /// Polls for short moments, as the loop does. A blocking wait could take the last thread of the pool, and the answering task needs that
    /// thread.
    private func open(
        _ addresses: [SocketAddress], trusting authorityFile: String, within time: Duration
    ) async throws -> ConnectionOpening.Step {
        let opening = ConnectionOpening(
            to: try HTTP2Origin("https://127.0.0.1"), context: try TLSContext(trusting: authorityFile), until: .now + time)
        var step = opening.resolved(.success(addresses))
        while case .mustWait = step {
            await Task.yield()
            let moment = min(opening.deadline, .now + .milliseconds(10))
            step = opening.interest.map { $0.isReady(before: moment) } == true ? opening.progress() : opening.expire(at: .now)
        }
        #expect(opening.interest == nil)
        return step
    }

    // MARK: Start

    /// Runs in a process of its own, because the limit holds for the whole process.
    @Test func aTransportThatCannotStartLeavesNoThread() async {
        await #expect(processExitsWith: .success) {
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            getrlimit(resource, &limit)
            let usual = limit.rlim_cur
            let threadsBefore = threadCount()
            // Three descriptors stay free. A thread takes two of them, and the one that is left is too few for the next two.
            var taken: [Int32] = []
            limit.rlim_cur = 128
            setrlimit(resource, &limit)
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            taken.suffix(3).forEach { close($0) }
            for _ in 1...50 {
                let failure = #expect(throws: HTTPFailure.self) {
                    _ = try HTTP2Transport.open(HTTP2Configuration(origin: "https://127.0.0.1:1"))
                }
                #expect(failure?.kind == .connect)
            }
            limit.rlim_cur = usual
            setrlimit(resource, &limit)
            // The threads of Swift's pool may start and end meanwhile.
            #expect(threadCount() < threadsBefore + 50)
        }
    }
}

private func threadCount() -> Int {
    guard let folder = opendir("/proc/self/task") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}

extension SocketThread.Interest {
    /// Waits for the socket. Returns false when the deadline has passed.
    func isReady(before deadline: ContinuousClock.Instant) -> Bool {
        var descriptor = pollfd(fd: socket, events: events, revents: 0)
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        return poll(&descriptor, 1, Int32((left / .milliseconds(1)).rounded(.up))) > 0
    }

    /// Waits until the peer has reset the connection. Returns false when the deadline has passed.
    func isReset(before deadline: ContinuousClock.Instant) -> Bool {
        var descriptor = pollfd(fd: socket, events: 0, revents: 0)
        let left = max(.zero, ContinuousClock.now.duration(to: deadline))
        return poll(&descriptor, 1, Int32((left / .milliseconds(1)).rounded(.up))) > 0
    }
}

extension RawServer {
    /// Runs the body with a raw server and a transport that trusts it.
    static func run(
        backlog: Int32? = 16, connectTimeout: Duration = .seconds(5).patient, _ body: (RawServer, HTTP2Transport) async throws -> Void
    ) async throws {
        let server = try RawServer(backlog: backlog)
        let transport = try HTTP2Transport.open(
            HTTP2Configuration(
                origin: "https://127.0.0.1:\(server.port)", connectTimeout: connectTimeout, certificateAuthorityFile: server.authorityFile))
        do {
            try await body(server, transport)
            await transport.close()
        } catch {
            await transport.close()
            throw error
        }
    }
}
