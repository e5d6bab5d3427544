import Glibc
import TidingsAMQP

/// A broker that belongs to the tests alone, so that they may raise alarms on it. TIDINGS_EXCLUSIVE_AMQP_URL names it and
/// TIDINGS_EXCLUSIVE_RABBITMQCTL a program that administers it as `rabbitmqctl` does.
enum ExclusiveBroker {
    static var url: String? { getenv("TIDINGS_EXCLUSIVE_AMQP_URL").map { String(cString: $0) } }
    static var program: String? { getenv("TIDINGS_EXCLUSIVE_RABBITMQCTL").map { String(cString: $0) } }
    static var isPresent: Bool { url != nil && program != nil }

    struct Failed: Error { let status: Int32 }

    /// Runs the program and waits for it on a thread of its own.
    static func control(_ arguments: String...) async throws {
        guard let program else { throw Broker.MissingBroker() }
        let status = await withCheckedContinuation { continuation in
            final class Start {
                let body: () -> Void
                init(_ body: @escaping () -> Void) { self.body = body }
            }
            let command = ([program] + arguments).map { "'\($0)'" }.joined(separator: " ") + " >/dev/null 2>&1"
            let start = Unmanaged.passRetained(Start { continuation.resume(returning: system(command)) })
            var thread = pthread_t()
            pthread_create(
                &thread, nil,
                { pointer in
                    guard let pointer else { return nil }
                    Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
                    return nil
                }, start.toOpaque())
            pthread_detach(thread)
        }
        guard status == 0 else { throw Failed(status: status) }
    }
}
