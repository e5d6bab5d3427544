import Glibc

/// The file descriptors of this process. Each connection takes one.
package enum OpenFiles {
    /// Descriptors that are not for clients: connections to the servers, files, timers, and connections that are refused.
    package static let reserve = 512

    /// Raises the limit of this process to the most that the system allows it, and returns the limit. Nil if the system does not tell.
    package static func raiseLimit() -> Int? {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return nil }
        let usual = limit.rlim_cur
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            if setrlimit(resource, &limit) != 0 { limit.rlim_cur = usual }
        }
        return Int(clamping: limit.rlim_cur)
    }
}
