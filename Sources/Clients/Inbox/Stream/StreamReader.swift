import Foundation

/// Reads one connection to its end.
struct StreamReader: Sendable {
    let environment: InboxEnvironment

    /// The longest silence of a living connection: three heartbeats of the server.
    static let silenceLimit = Duration.seconds(45)

    /// Returns when the server ends the stream, when the connection breaks or falls silent, or when the task is cancelled.
    func read(_ body: AsyncThrowingStream<Data, any Error>, receive: @escaping @Sendable (ServerSentEvent) -> Void) async {
        let lastByte = LastByte(environment.elapsed())
        await withTaskGroup(of: Void.self) { group in
            // The reader and its watchdog: whichever ends first cancels the other.
            group.addTask {
                var parser = ServerSentEventParser()
                do {
                    for try await piece in body {
                        lastByte.time = environment.elapsed()
                        guard let events = parser.read(piece) else { return }
                        for event in events { receive(event) }
                    }
                } catch {
                    // A broken connection is an end like any other: the store connects again.
                }
            }
            group.addTask { await watch(lastByte) }
            await group.next()
            group.cancelAll()
        }
    }

    private func watch(_ lastByte: LastByte) async {
        while true {
            let left = lastByte.time + Self.silenceLimit - environment.elapsed()
            guard left > .zero else { return }
            do {
                // The time until the connection counts as silent. Another byte moves it.
                try await environment.sleep(left)
            } catch {
                return
            }
        }
    }
}

// The lock guards the only stored property that changes.
private final class LastByte: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Duration

    init(_ time: Duration) { value = time }

    var time: Duration {
        get { lock.withLock { value } }
        set { lock.withLock { value = newValue } }
    }
}
