import Dispatch
import Glibc
import TidingsServer

/// The file descriptors of the language runtime.
///
/// libdispatch opens its descriptors with the first timer of the process. It ends the process with a signal if none is free at that moment,
/// even if the program itself could have said what is missing.
enum RuntimeDescriptors {
    /// Of libdispatch: one for epoll, one that wakes its thread, one for the timers of a clock, and one to look at its threads once a
    /// second. Drivers keep the last one free, see `SpareDescriptor`.
    private static let count = 4

    /// Opens the descriptors of the runtime before the program opens one. If the process may not open as many, says so and exits with 78.
    static func open() {
        guard areFree() else {
            let message = "tidings: no file descriptors for the process itself: raise the limit of open files (ulimit -n)\n"
            _ = message.withCString { write(STDERR_FILENO, $0, strlen($0)) }
            ProcessEnd.now(78)  // EX_CONFIG of sysexits.h
        }
        let isStarted = DispatchSemaphore(value: 0)
        // The timer itself is the purpose. The main thread waits for its end, before the program starts.
        Task.detached {
            try? await Task.sleep(for: .nanoseconds(1))
            isStarted.signal()
        }
        isStarted.wait()
    }

    private static func areFree() -> Bool {
        let descriptors = (0..<count).map { _ in Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC) }
        for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
        return descriptors.allSatisfy { $0 >= 0 }
    }
}
