import Glibc
import Testing
import TidingsPostgres

struct NotificationTests {
    @Test func whatAnotherSessionNotifiesArrives() async throws {
        try await withDatabase { configuration in
            let listener = try await PostgresConnection.connect(configuration)
            let sender = try await PostgresConnection.connect(configuration)
            try await listener.listen("due \"work\"")
            _ = try await sender.query("select pg_notify(\("due \"work\""), \("tenant 7"))")
            var notifications = listener.notifications.makeAsyncIterator()
            let first = await notifications.next()
            #expect(first?.channel == "due \"work\"")
            #expect(first?.payload == "tenant 7")
            #expect(first?.processID == (await sender.processID))
            await listener.close()
            #expect(await notifications.next() == nil)
            await sender.close()
        }
    }

    @Test func aFrozenServerEndsTheListener() async throws {
        try await withDatabase { configuration in
            var configuration = configuration
            configuration.listenerHeartbeat = .milliseconds(200)
            let listener = try await PostgresConnection.connect(configuration)
            try await listener.listen("due")
            let backend = await listener.processID
            try #require(kill(backend, SIGSTOP) == 0)
            defer { kill(backend, SIGCONT) }
            for await _ in listener.notifications {}
            #expect(!listener.isUsable)
        }
    }

    @Test func heartbeatsKeepAQuietListenerAlive() async throws {
        try await withDatabase { configuration in
            var configuration = configuration
            configuration.listenerHeartbeat = .milliseconds(20)
            let listener = try await PostgresConnection.connect(configuration)
            try await listener.listen("due")
            let sender = try await PostgresConnection.connect(configuration)
            // The server waits for 0.3 s, so that several heartbeats pass before it notifies.
            _ = try await sender.query("select pg_notify('due', 'late') from pg_sleep(0.3)")
            var notifications = listener.notifications.makeAsyncIterator()
            #expect(await notifications.next()?.payload == "late")
            await listener.close()
            await sender.close()
        }
    }
}
