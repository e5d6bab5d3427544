import TidingsWaiting

/// Calls that wait until a test answers them. The test gets them in the order in which they came.
public final class HeldCalls<Argument: Sendable>: Sendable {
    public struct Call: Sendable {
        public let argument: Argument
        fileprivate let answer: OneShot<Result<Void, any Error>>

        /// Lets the caller go on.
        public func succeed() { answer.set(.success(())) }

        /// Throws the error at the caller.
        public func fail(_ error: any Error) { answer.set(.failure(error)) }
    }

    private let calls: AsyncStream<Call>
    private let arrival: AsyncStream<Call>.Continuation

    public init() {
        (calls, arrival) = AsyncStream.makeStream(of: Call.self)
    }

    /// Waits for the test's answer. Throws the error that it names.
    public func hold(_ argument: Argument) async throws {
        let call = Call(argument: argument, answer: OneShot())
        arrival.yield(call)
        try await call.answer.value().get()
    }

    /// Waits for the next call. Returns nil if the waiting task is cancelled. At most one task may wait.
    public func next() async -> Call? {
        for await call in calls { return call }
        return nil
    }
}
