import Glibc

/// The instant at which a wait ends.
typealias Deadline = ContinuousClock.Instant

extension Deadline {
    /// Milliseconds for a `poll` that begins now, rounded up so that the deadline has passed when `poll` times out. Never negative, because
    /// that means no limit.
    fileprivate func pollMilliseconds(from now: ContinuousClock.Instant) -> Int32 {
        let left = now.duration(to: self)
        guard left > .zero else { return 0 }
        let milliseconds = left / .milliseconds(1)
        return milliseconds >= Double(Int32.max) ? .max : Int32(milliseconds.rounded(.up))
    }
}

/// Waits until a socket is ready for `events`. Returns the events that are ready, including errors and hang-ups, or 0 after the deadline.
///
/// The last look at the socket begins after the deadline. So after a pause of the process, an answer that lies in the socket counts.
func pollSocket(_ socket: Int32, for events: Int32, until deadline: Deadline) -> Int32 {
    var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
    while true {
        let began = ContinuousClock.now
        let count = unsafe poll(&descriptor, 1, deadline.pollMilliseconds(from: began))
        if count > 0 { return Int32(descriptor.revents) }
        if count == 0 && deadline <= began { return 0 }
        // A signal interrupted the wait, or the deadline passed during the poll. Look again.
        if count < 0 && errno != EINTR { return POLLERR }
    }
}
