import Glibc

/// Runs blocking work on a thread of its own, so that Swift's cooperative pool never blocks, and cancelling a task cannot
/// cut a shutdown short.
///
/// A plain POSIX thread, not a queue of Dispatch: the kernel's "signal the child when its parent dies" means the *thread* that made
/// the child, and Dispatch ends idle threads as it likes.
enum OwnThread {
    /// Runs `body` and returns at once; its result arrives in the latch.
    static func begin<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PrivateServersError) -> Value
    ) throws(PrivateServersError) -> Latch<Result<Value, PrivateServersError>> {
        let latch = Latch<Result<Value, PrivateServersError>>()
        try begin(detached: {
            do throws(PrivateServersError) { latch.set(.success(try body())) } catch { latch.set(.failure(error)) }
        })
        return latch
    }

    /// Runs `body` and suspends until it is done.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PrivateServersError) -> Value
    ) async throws(PrivateServersError) -> Value {
        try await result(body).get()
    }

    /// As `run`, for callers that cannot pass a typed error through.
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

    /// Runs `body` on a new thread nobody joins.
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
    // strerror's buffer is per thread in glibc since 2.32, and the text is copied at once.
    "\(String(cString: strerror(code))) (errno \(code))"
}
