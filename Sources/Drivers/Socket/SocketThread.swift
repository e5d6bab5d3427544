public import Glibc
import Synchronization

/// One operating-system thread that is also a Swift serial executor, made for C libraries that own a socket.
///
/// A driver actor names a `SocketThread` as its executor. The thread alternates between two things: it runs the actor's jobs, and it
/// waits in `poll(2)` for the actor's sockets, a deadline, or the next job. So everything that touches the C connection happens on one
/// thread, as librabbitmq, libpq and libcurl ask, and waiting for a socket never holds a thread of Swift's cooperative pool.
///
/// The actor sets ``watch(_:until:)`` from its own isolation to say which sockets matter and when it wants to run again whatever
/// happens; ``whenReady(_:)`` installs what runs on the thread each time poll returns. ``stop()`` lets the queued jobs finish first.
///
/// The stack is 16 MiB: librabbitmq 0.11 decodes header tables by recursion, and a header nested 18,000 deep crashed 1 MiB stacks.
public final class SocketThread: SerialExecutor {
    /// Bytes of stack for the thread.
    public static let stackSize = 16 << 20

    /// A socket and the poll events it is watched for.
    public struct Interest: Sendable, Hashable {
        public var socket: Int32
        public var events: Int16

        public init(socket: Int32, events: Int16) {
            self.socket = socket
            self.events = events
        }

        /// Readable only.
        public static func reading(_ socket: Int32) -> Interest { Interest(socket: socket, events: Int16(POLLIN)) }
        /// Readable or writable.
        public static func readingAndWriting(_ socket: Int32) -> Interest {
            Interest(socket: socket, events: Int16(POLLIN | POLLOUT))
        }
    }

    private struct Mailbox: ~Copyable {
        var jobs: [UnownedJob] = []
        var isPolling = false
        var isStopping = false
    }

    /// What the thread alone reads and writes; the actor reaches it only from jobs that run on this thread.
    private final class Loop {
        var interests: [Interest] = []
        var deadline: ContinuousClock.Instant?
        var ready: (([pollfd]) -> Void)?
    }

    private let mailbox = Mutex(Mailbox())
    // Confined to the thread: every access goes through a method that checks `isCurrent`.
    private nonisolated(unsafe) let loop = Loop()
    // Written when the thread is made and, to the same value, by the thread before its first job.
    private nonisolated(unsafe) var identity = pthread_t()
    /// A pipe to ourselves (Swift's Glibc module has no eventfd): one byte in it ends the poll.
    private let wakeupReader: Int32
    private let wakeupWriter: Int32
    /// Says in messages which thread it is.
    public let name: String

    /// What the machine or its limits (`ulimit -n`, `ulimit -u`) refused; as text, for a message.
    public struct StartError: Error, Hashable, CustomStringConvertible {
        public let description: String

        /// What was missing, with the system's word for it.
        public init(_ what: String, code: Int32 = errno) { description = unsafe "\(what): \(String(cString: strerror(code)))" }
    }

    /// Starts the thread. For what a process cannot begin without: where nothing is left for it, the process ends with the reason.
    /// What is opened later uses ``init(starting:)``.
    public convenience init(name: String) {
        do throws(StartError) {
            try self.init(starting: name)
        } catch {
            preconditionFailure(error.description)
        }
    }

    /// Starts the thread, or says what it lacks: two file descriptors, or a thread.
    public init(starting name: String) throws(StartError) {
        self.name = name
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw StartError("no file descriptor for thread \(name)")
        }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        (wakeupReader, wakeupWriter) = (ends[0], ends[1])
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setstacksize(&attributes, Self.stackSize)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let unmanaged = unsafe Unmanaged.passRetained(self)
        let status = unsafe pthread_create(
            &identity, &attributes,
            { pointer in
                guard let pointer = unsafe pointer else { return nil }
                // The thread owns this reference until it ends, so the executor outlives every job it was given.
                let thread = unsafe Unmanaged<SocketThread>.fromOpaque(pointer).takeRetainedValue()
                thread.run()
                return nil
            }, unsafe unmanaged.toOpaque())
        unsafe pthread_attr_destroy(&attributes)
        guard status == 0 else {
            unsafe unmanaged.release()
            throw StartError("cannot start thread \(name)", code: status)
        }
    }

    deinit {
        close(wakeupReader)
        close(wakeupWriter)
    }

    // MARK: Executor

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let mustWake = mailbox.withLock { mailbox in
            mailbox.jobs.append(unowned)
            return mailbox.isPolling
        }
        if mustWake { wake() }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() {
        precondition(isCurrent, "this code must run on the thread \(name)")
    }

    /// Whether the caller runs on this thread.
    public var isCurrent: Bool { unsafe pthread_equal(pthread_self(), identity) != 0 }

    // MARK: What the actor asks for, from its own isolation

    /// Replaces the watched sockets and the time at which ``whenReady(_:)``'s closure runs even if no socket is ready.
    /// Call only on the thread, that is from the isolation of an actor that runs here.
    public func watch(_ interests: [Interest], until deadline: ContinuousClock.Instant?) {
        checkIsolated()
        unsafe loop.interests = interests
        unsafe loop.deadline = deadline
    }

    /// Installs the closure that runs on the thread after every poll: with the descriptors that are ready, or with none when the deadline
    /// passed. It may call ``watch(_:until:)``. Call only on the thread.
    public func whenReady(_ body: (([pollfd]) -> Void)?) {
        checkIsolated()
        unsafe loop.ready = body
    }

    /// Ends the thread once the queued jobs have run and no ``whenReady(_:)`` closure is installed. The owner calls it last: a job enqueued
    /// after the thread ended would never run.
    public func stop() {
        mailbox.withLock { $0.isStopping = true }
        wake()
    }

    // MARK: The loop

    private func wake() {
        var byte: UInt8 = 1
        _ = unsafe write(wakeupWriter, &byte, 1)  // a full pipe wakes as well as one more byte would
    }

    private func run() {
        unsafe identity = pthread_self()
        blockBrokenPipeSignal()
        repeat { runJobs() } while pollSockets()
    }

    private func runJobs() {
        let jobs = mailbox.withLock { mailbox in
            mailbox.isPolling = false
            return exchange(&mailbox.jobs, with: [])
        }
        for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Polls until a socket is ready, the deadline passes or a job arrives; only looks when jobs are queued already, so that neither
    /// jobs nor sockets starve the other. False when the thread may end.
    private func pollSockets() -> Bool {
        let (hasJobs, isStopping) = mailbox.withLock { mailbox in
            mailbox.isPolling = mailbox.jobs.isEmpty
            return (!mailbox.jobs.isEmpty, mailbox.isStopping)
        }
        if unsafe isStopping && !hasJobs && loop.ready == nil { return false }
        var descriptors = [pollfd(fd: wakeupReader, events: Int16(POLLIN), revents: 0)]
        for interest in unsafe loop.interests { descriptors.append(pollfd(fd: interest.socket, events: interest.events, revents: 0)) }
        let count = unsafe poll(&descriptors, nfds_t(descriptors.count), hasJobs ? 0 : pollTimeout())
        if count > 0 && descriptors[0].revents != 0 {
            var drained = [UInt8](repeating: 0, count: 64)
            while unsafe read(wakeupReader, &drained, drained.count) == drained.count {}
        }
        let ready = descriptors.dropFirst().filter { $0.revents != 0 }
        let isDue = unsafe loop.deadline.map { $0 <= .now } ?? false
        if !ready.isEmpty || isDue { unsafe loop.ready?(Array(ready)) }
        return true
    }

    /// Milliseconds for poll, rounded up so that a deadline has passed when poll returns; -1 waits for ever.
    private func pollTimeout() -> Int32 {
        guard let deadline = unsafe loop.deadline else { return -1 }
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        let milliseconds = left / .milliseconds(1)
        return milliseconds >= Double(Int32.max) ? Int32.max : Int32(milliseconds.rounded(.up))
    }
}

/// OpenSSL writes to sockets without MSG_NOSIGNAL, and libcurl leaves SIGPIPE alone when signals are off (they are, because of threads): on
/// this thread and those it starts, a peer that went away must be an error and not the end of the process.
private func blockBrokenPipeSignal() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
}

private func exchange<Value>(_ place: inout Value, with new: consuming Value) -> Value {
    let old = place
    place = new
    return old
}
