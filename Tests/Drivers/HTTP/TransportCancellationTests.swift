import Testing

@testable import TidingsHTTP

struct TransportCancellationTests {
    @Test func cancellingTheTaskEndsTheTransfer() async throws {
        let server = try LoopbackServer([.readRequest, .waitForPeerToClose])
        try await withTransport { transport in
            let task = Task { await transport.send(.post(server.url)) }
            await server.next { if case .request = $0 { true } else { false } }
            task.cancel()
            let failure = try await task.value.requireFailure()
            #expect(failure.kind == .cancelled && failure.requestMayHaveArrived)
            await server.next { $0 == .disconnected }
        }
    }

    @Test func aRequestCanBeCancelledBeforeItBegins() async throws {
        let server = try LoopbackServer([.readRequest])
        try await withTransport { transport in
            let result = await withTaskGroup(of: HTTPResult.self) { group in
                group.cancelAll()
                group.addTask { await transport.send(.post(server.url)) }
                return await group.next()
            }
            let failure = try #require(result).requireFailure()
            #expect(failure.kind == .cancelled && !failure.requestMayHaveArrived)
        }
        #expect(server.connections == 0)
    }

    @Test func aCancellationEndsOnlyItsOwnRequest() async throws {
        let server = try LoopbackServer([.readRequest, .waitForPeerToClose])
        let healthy = try LoopbackServer([.readRequest, .send("HTTP/1.1 204 No\r\n\r\n"), .again])
        try await withTransport { transport in
            let hanging = (0..<10).map { _ in Task { await transport.send(.post(server.url)) } }
            for _ in hanging { await server.next { if case .request = $0 { true } else { false } } }
            for task in hanging.prefix(9) { task.cancel() }
            for task in hanging.prefix(9) {
                let failure = try await task.value.requireFailure()
                #expect(failure.kind == .cancelled)
            }
            let status = try await transport.send(.post(healthy.url)).requireResponse().status
            #expect(status == 204)
            #expect(!hanging[9].isCancelled)
            hanging[9].cancel()
            _ = await hanging[9].value
        }
    }

    @Test func closingEndsEverythingAndRefusesMore() async throws {
        let server = try LoopbackServer([.readRequest, .waitForPeerToClose])
        let transport = try HTTPTransport.open()
        let tasks = (0..<5).map { _ in Task { await transport.send(.post(server.url)) } }
        for _ in tasks { await server.next { if case .request = $0 { true } else { false } } }
        await transport.close()
        for task in tasks {
            let failure = try await task.value.requireFailure()
            #expect(failure.kind == .cancelled && failure.requestMayHaveArrived)
        }
        for _ in tasks { await server.next { $0 == .disconnected } }
        let late = try await transport.send(.post(server.url)).requireFailure()
        #expect(late.kind == .cancelled && !late.requestMayHaveArrived)
        await transport.close()
    }

    @Test func lettingGoClosesConnections() async throws {
        let server = try LoopbackServer([.readRequest, .send("HTTP/1.1 204 No\r\n\r\n"), .waitForPeerToClose])
        do {
            let transport = try HTTPTransport.open()
            let status = try await transport.send(.post(server.url)).requireResponse().status
            #expect(status == 204)
        }
        await server.next { $0 == .disconnected }
    }
}
