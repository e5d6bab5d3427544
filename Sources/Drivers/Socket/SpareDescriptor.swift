import Glibc

/// The file descriptor that a process keeps free for its runtime.
///
/// libdispatch looks at its threads once a second, and opens a file for that. If it cannot, it ends the process with a signal
/// (`_dispatch_workq_count_runnable_workers`). So a driver does not take the last descriptor: it fails as if there were none.
public enum SpareDescriptor {
    /// Whether the process can open one more file now. If not, `errno` says why.
    public static var isFree: Bool {
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        close(descriptor)
        return true
    }

    /// Whether one is free after these were opened. If not, closes them again, and `errno` says why.
    public static func isLeft(after descriptors: [Int32]) -> Bool {
        if isFree { return true }
        let code = errno
        for descriptor in descriptors { close(descriptor) }
        errno = code
        return false
    }
}
