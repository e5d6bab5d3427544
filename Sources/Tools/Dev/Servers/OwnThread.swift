import Glibc

/// Runs blocking work on a thread of its own. Swift's cooperative pool never blocks, and a cancelled task cannot cut a shutdown short.
///
/// The thread is a plain POSIX thread, not a Dispatch queue. The kernel's "signal the child when its parent dies" refers to the *thread*
/// that made the child, and Dispatch ends idle threads at any time.
enum OwnThread {
    /// Runs `body` and returns at once. The result arrives in the latch.
    static func begin<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PrivateServersError) -> Value
    ) throws(PrivateServersError) -> Latch<Result<Value, PrivateServersError>> {
        let latch = Latch<Result<Value, PrivateServersError>>()
        try begin(detached: {
            do throws(PrivateServersError) { latch.set(.success(try body())) } catch { latch.set(.failure(error)) }
        })
        return latch
    }

    /// Runs `body` and suspends until it ends.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PrivateServersError) -> Value
    ) async throws(PrivateServersError) -> Value {
        try await result(body).get()
    }

    /// Does the same as `run`, for callers that cannot pass on a typed error.
    static func result<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PrivateServersError) -> Value
    ) async -> Result<Value, PrivateServersError> {
        await withCheckedContinuation { continuation in
            do throws(PrivateServersError) {
                try begin(detached: {
                    do throws(PrivateServersError) {
                        continuation.resume(returning: .success(try body()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                })
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
    }

    /// Runs `body` on a new thread that is never joined.
    static func begin(detached body: @escaping @Sendable () -> Void) throws(PrivateServersError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        let box = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread,
            &attributes,
            { box in
                if let box { Unmanaged<Work>.fromOpaque(box).takeRetainedValue().body() }
                return nil
            },
            box.toOpaque()
        )
        guard code == 0 else {
            box.release()
            throw .system(call: "pthread_create", reason: errorText(code))
        }
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

/// The operating system's words for an error number, with the number.
func errorText(_ code: CInt) -> String {
    // The buffer of `strerror` belongs to the thread since glibc 2.32, and the text is copied at once.
    "\(String(cString: strerror(code))) (errno \(code))"
}
