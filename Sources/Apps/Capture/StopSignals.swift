import Dispatch
import Glibc

/// SIGINT and SIGTERM as something to await, instead of the end of the process.
struct StopSignals: Sendable {
    private let arrived: AsyncStream<Void>
    // Dispatch's sources may be used from any thread, but are not declared so; they only have to stay alive here.
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
