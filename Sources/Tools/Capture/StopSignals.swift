import Dispatch
import Glibc

/// Lets a task await SIGINT and SIGTERM. The signals no longer end the process.
struct StopSignals: Sendable {
    private let arrived: AsyncStream<Void>
    // Dispatch sources are safe on any thread, but are not declared so. This property only keeps them alive.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        arrived = stream
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield() }
            source.resume()
            return source
        }
    }

    func wait() async {
        for await _ in arrived { return }
    }
}
