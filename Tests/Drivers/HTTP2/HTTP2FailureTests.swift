import Foundation
import Testing
import TidingsHTTP
import TidingsHTTP2
import TidingsHTTP2Server

/// A server may go away, reset, hang, refuse or be the wrong server.
@Suite struct HTTP2FailureTests {
    @Test func aRequestThatAGoAwayLeftUnprocessedIsSentAgainElsewhere() async throws {
        try await TestServer.run(firstStreams: 100) { request, log in
            if request.connection == 1, request.path == "/last" { return .goAway(processed: false, words: "{\"reason\":\"Shutdown\"}") }
            return response("connection \(request.connection)")
        } _: { server in
            #expect(await server.transport.send(.patient(path: "/first")).text == "connection 1")
            #expect(await server.transport.send(.patient(path: "/last")).text == "connection 2")
            #expect(await server.transport.send(.patient(path: "/later")).text == "connection 2")
        }
    }

    @Test func aRequestThatAGoAwayProcessedMayHaveArrived() async throws {
        try await TestServer.run { request, _ in
            request.path == "/last" ? .goAway(processed: true, words: "{\"reason\":\"Shutdown\"}") : response()
        } _: { server in
            let failure = await server.transport.send(.patient(path: "/last")).failure
            #expect(failure?.kind == .resetAfterSend)
            #expect(failure?.requestMayHaveArrived == true)
            #expect(server.log.count(of: "/last") == 1)
            #expect(await server.transport.send(.patient(path: "/later")).status == 200)
            #expect(server.log.connections == [1, 2])
        }
    }

    /// A connection goes away in the middle of 500 requests. Every request is answered.
    @Test func aGoAwayUnderLoadLosesNothing() async throws {
        try await TestServer.run(firstStreams: 100, connections: 2) { request, log in
            if request.connection == 1, log.all.count > 200 { return .goAway(processed: false, words: "") }
            return response(request.path)
        } _: { server in
            let answered = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<500 {
                    group.addTask { await server.transport.send(.patient(path: "/\(number)")).text == "/\(number)" }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(answered == 500)
            #expect(server.log.connections.count > 1)
        }
    }

    /// The transport keeps trying as long as each connection answers something before it goes away.
    @Test func frequentGoAwaysLoseNothing() async throws {
        try await TestServer.run(firstStreams: 100, connections: 4) { request, log in
            log.all.count.isMultiple(of: 5) ? .goAway(processed: false, words: "") : response(request.path)
        } _: { server in
            let answered = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    group.addTask { await server.transport.send(.patient(path: "/\(number)")).text == "/\(number)" }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(answered == 60)
            #expect(server.log.connections.count > 1)
        }
    }

    @Test func aRefusedStreamIsSentAgainAndAnotherResetIsNot() async throws {
        try await TestServer.run { request, log in
            switch request.path {
            case "/refused": log.count(of: "/refused") == 1 ? .reset(code: 7) : response()
            case "/broken": .reset(code: 2)
            default: .reset(code: 7)
            }
        } _: { server in
            #expect(await server.transport.send(.patient(path: "/refused")).status == 200)
            #expect(server.log.count(of: "/refused") == 2)
            let broken = await server.transport.send(.patient(path: "/broken")).failure
            #expect(broken?.kind == .resetAfterSend)
            #expect(broken?.requestMayHaveArrived == true)
            #expect(server.log.count(of: "/broken") == 1)
            let always = await server.transport.send(.patient(path: "/always")).failure
            #expect(always?.kind == .connect)
            #expect(always?.requestMayHaveArrived == false)
            #expect(server.log.count(of: "/always") == 4)
        }
    }

    @Test func aConnectionThatClosesLeavesItsRequestsUnknown() async throws {
        try await TestServer.run { request, _ in
            request.path == "/cut" ? .hangUp : response()
        } _: { server in
            let failure = await server.transport.send(.patient(path: "/cut")).failure
            #expect(failure?.kind == .resetAfterSend)
            #expect(failure?.requestMayHaveArrived == true)
            #expect(await server.transport.send(.patient(path: "/next")).status == 200)
            #expect(server.log.count(of: "/cut") == 1)
        }
    }

    @Test func oneThatHangsTimesOutAlone() async throws {
        let gate = Gate()
        try await TestServer.run(firstStreams: 10) { request, _ in
            if request.path == "/hang" { await gate.wait() }
            return response()
        } _: { server in
            async let hanging = server.transport.send(HTTP2Request(path: "/hang", totalTimeout: .milliseconds(300)))
            #expect(await server.transport.send(.patient(path: "/quick")).status == 200)
            let failure = await hanging.failure
            #expect(failure?.kind == .timeoutAfterSend)
            #expect(failure?.requestMayHaveArrived == true)
            await gate.open()
        }
    }

    @Test func aRequestThatFindsNoStreamInTimeWasNotSent() async throws {
        let (gate, arrived) = (Gate(), Gate())
        try await TestServer.run(connections: 1) { request, _ in
            await arrived.open()
            await gate.wait()
            return response()
        } _: { server in
            async let first = server.transport.send(.patient(path: "/first"))
            await arrived.wait()
            let failure = await server.transport.send(HTTP2Request(path: "/second", totalTimeout: .milliseconds(200))).failure
            #expect(failure?.kind == .noRoom)
            #expect(failure?.requestMayHaveArrived == false)
            await gate.open()
            #expect(await first.status == 200)
            #expect(server.log.count(of: "/second") == 0)
        }
    }

    @Test func cancellingEndsOneRequest() async throws {
        let (gate, arrived) = (Gate(), Gate())
        try await TestServer.run(firstStreams: 10) { request, _ in
            if request.path == "/hang" {
                await arrived.open()
                await gate.wait()
            }
            return response()
        } _: { server in
            await withTaskGroup(of: HTTPFailure.Kind?.self) { group in
                group.addTask { await server.transport.send(.patient(path: "/hang")).failure?.kind }
                await arrived.wait()
                group.cancelAll()
                let kind = await group.next() ?? nil
                #expect(kind == .cancelled)
            }
            #expect(await server.transport.send(.patient(path: "/next")).status == 200)
            await gate.open()
        }
    }

    @Test func retiredConnectionsAreNotUsedAgain() async throws {
        try await TestServer.run { request, _ in
            response("\(request.connection)")
        } _: { server in
            #expect(await server.transport.send(.patient(path: "/")).text == "1")
            await server.transport.retireConnections()
            #expect(await server.transport.send(.patient(path: "/")).text == "2")
        }
    }

    @Test func closingEndsWhatIsUnderWayAndRefusesWhatComesLater() async throws {
        let (gate, arrived) = (Gate(), Gate())
        try await TestServer.run { _, _ in
            await arrived.open()
            await gate.wait()
            return response()
        } _: { server in
            async let first = server.transport.send(.patient(path: "/"))
            await arrived.wait()
            await server.transport.close()
            let failure = await first.failure
            #expect(failure?.kind == .cancelled)
            #expect(failure?.requestMayHaveArrived == true)
            let later = await server.transport.send(.patient(path: "/")).failure
            #expect(later?.kind == .cancelled)
            #expect(later?.requestMayHaveArrived == false)
            await gate.open()
        }
    }

    @Test func aServerWithAnotherCertificateIsNotTrusted() async throws {
        let server = try HTTP2Server.open(HTTP2ServerConfiguration(certificate: try #require(SelfSignedCertificate())))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await server.run { _ in response() } }
            let transport = try HTTP2Transport.open(HTTP2Configuration(origin: "https://127.0.0.1:\(server.port)"))
            let failure = await transport.send(.patient(path: "/")).failure
            #expect(failure?.kind == .tls)
            #expect(failure?.requestMayHaveArrived == false)
            #expect(failure?.message.contains("self-signed certificate") == true)
            await transport.close()
            await server.stop()
            try await group.waitForAll()
        }
    }

    @Test func aPortWithoutAListenerGivesNoConnection() async throws {
        let server = try HTTP2Server.open(HTTP2ServerConfiguration(certificate: try #require(SelfSignedCertificate())))
        let port = server.port
        await server.stop()
        let transport = try HTTP2Transport.open(HTTP2Configuration(origin: "https://127.0.0.1:\(port)"))
        let failure = await transport.send(.patient(path: "/")).failure
        #expect(failure?.kind == .connect)
        #expect(failure?.requestMayHaveArrived == false)
        await transport.close()
    }

    @Test func aNameThatDoesNotExistIsSaidSo() async throws {
        let transport = try HTTP2Transport.open(HTTP2Configuration(origin: "https://push.invalid"))
        let failure = await transport.send(.patient(path: "/")).failure
        #expect(failure?.kind == .dns)
        #expect(failure?.requestMayHaveArrived == false)
        await transport.close()
    }

    @Test func certificateAuthoritiesThatCannotBeReadAreSaidSo() {
        let failure = #expect(throws: HTTPFailure.self) {
            _ = try HTTP2Transport.open(
                HTTP2Configuration(origin: "https://127.0.0.1:1", certificateAuthorityFile: "/nonexistent/authorities.pem"))
        }
        #expect(failure?.kind == .tls)
    }
}
