public import Glibc
import Synchronization

/// One operating-system thread that is also a Swift serial executor, made for C libraries that own a socket.
///
/// A driver actor names a `SocketThread` as its executor. The thread runs the actor's jobs. Between jobs, the thread waits in `poll(2)` for
/// the actor's sockets, a deadline, or the next job. All calls to one C connection therefore happen on one thread, as librabbitmq, libpq
/// and libcurl require. A wait for a socket never blocks a thread of Swift's cooperative pool.
///
/// The actor calls ``watch(_:until:)`` from its own isolation. This call names the sockets, and the time at which the actor wants to run
/// even if no socket is ready. ``whenReady(_:)`` installs the closure that the thread runs each time `poll` returns. ``stop()`` lets the
/// queued jobs finish first.
///
/// A process may stand still at any point: it was stopped, its machine slept, or it got no processor. Meanwhile answers arrive, and
/// time-outs pass. So the thread passes to the closure the instant at which its `poll` began. Input that had arrived by that instant belongs
/// to a ready socket. A driver reads first, and then judges time-outs by that instant, never by the present time.
///
/// The stack has 16 MiB, because librabbitmq 0.11 decodes header tables by recursion. A header nested 18,000 deep crashed a stack of 1 MiB.
public final class SocketThread: SerialExecutor {
    /// Bytes of stack for the thread.
    public static let stackSize = 16 << 20

    /// A socket and the poll events to watch for.
    public struct Interest: Sendable, Hashable {
        public var socket: Int32
        public var events: Int16

        public init(socket: Int32, events: Int16) {
            self.socket = socket
            self.events = events
        }

        /// Interest in reading only.
        public static func reading(_ socket: Int32) -> Interest { Interest(socket: socket, events: Int16(POLLIN)) }
        /// Interest in reading and writing.
        public static func readingAndWriting(_ socket: Int32) -> Interest {
            Interest(socket: socket, events: Int16(POLLIN | POLLOUT))
        }
    }

    private struct Mailbox: ~Copyable {
        var jobs: [UnownedJob] = []
        var isPolling = false
        var isStopping = false
    }

    /// State that only the thread reads and writes. The actor reaches it only from jobs that run on this thread.
    private final class Loop {
        var interests: [Interest] = []
        var deadline: ContinuousClock.Instant?
        var ready: (([pollfd], ContinuousClock.Instant) -> Void)?
    }

    private let mailbox = Mutex(Mailbox())
    // Confined to the thread: the public methods check `isCurrent`, and the private ones run on the thread.
    private nonisolated(unsafe) let loop = Loop()
    // Two writers store the same value: `pthread_create`, and the thread itself before its first job.
    private nonisolated(unsafe) var identity = pthread_t()
    /// A pipe from this object to its own thread: one byte in the pipe ends the poll. Swift's Glibc module has no eventfd.
    private let wakeupReader: Int32
    private let wakeupWriter: Int32
    /// The name of this thread in messages.
    public let name: String

    /// A resource that the machine or its limits (`ulimit -n`, `ulimit -u`) refused, as text for a message.
    public struct StartError: Error, Hashable, CustomStringConvertible {
        public let description: String

        /// - Parameters:
        ///   - what: the resource that was missing.
        ///   - code: the `errno`, which the description explains in the system's words.
        public init(_ what: String, code: Int32 = errno) { description = unsafe "\(what): \(String(cString: strerror(code)))" }
    }

    /// Starts the thread, and ends the process with the reason if the start fails. Use this initializer for threads without which the
    /// process cannot begin. For threads that start later, use ``init(starting:)``.
    public convenience init(name: String) {
        do throws(StartError) {
            try self.init(starting: name)
        } catch {
            preconditionFailure(error.description)
        }
    }

    /// Starts the thread. Throws the missing resource: two file descriptors, or a thread.
    public init(starting name: String) throws(StartError) {
        self.name = name
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0, SpareDescriptor.isLeft(after: ends) else {
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

    // MARK: Requests of the actor, from its own isolation

    /// Replaces the watched sockets and the deadline. At the deadline, the closure of ``whenReady(_:)`` runs even if no socket is ready.
    /// Call only on the thread, that is from the isolation of an actor that runs here.
    public func watch(_ interests: [Interest], until deadline: ContinuousClock.Instant?) {
        checkIsolated()
        unsafe loop.interests = interests
        unsafe loop.deadline = deadline
    }

    /// Installs the closure that the thread runs after a poll. The closure receives the ready descriptors, or none when the deadline
    /// passed, and the instant at which the poll began. If the deadline passed, the poll began after the deadline. The closure may call
    /// ``watch(_:until:)``. Call only on the thread.
    public func whenReady(_ body: ((_ ready: [pollfd], _ polledAt: ContinuousClock.Instant) -> Void)?) {
        checkIsolated()
        unsafe loop.ready = body
    }

    /// Ends the thread once the queued jobs have run and no ``whenReady(_:)`` closure is installed. The owner calls this method last,
    /// because a job enqueued after the end of the thread would never run.
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

    /// Polls until a socket is ready, the deadline passes or a job arrives. If jobs are already queued, the poll returns at once, so that
    /// jobs and sockets cannot starve each other. Returns false when the thread may end.
    private func pollSockets() -> Bool {
        let (hasJobs, isStopping) = mailbox.withLock { mailbox in
            mailbox.isPolling = mailbox.jobs.isEmpty
            return (!mailbox.jobs.isEmpty, mailbox.isStopping)
        }
        if unsafe isStopping && !hasJobs && loop.ready == nil { return false }
        var descriptors = [pollfd(fd: wakeupReader, events: Int16(POLLIN), revents: 0)]
        for interest in unsafe loop.interests { descriptors.append(pollfd(fd: interest.socket, events: interest.events, revents: 0)) }
        let polledAt = ContinuousClock.now
        let count = unsafe poll(&descriptors, nfds_t(descriptors.count), hasJobs ? 0 : pollTimeout(from: polledAt))
        if count > 0 && descriptors[0].revents != 0 {
            var drained = [UInt8](repeating: 0, count: 64)
            while unsafe read(wakeupReader, &drained, drained.count) == drained.count {}
        }
        let ready = descriptors.dropFirst().filter { $0.revents != 0 }
        // A deadline that passed during the poll is due after the next poll, which looks at the sockets once more.
        let isDue = unsafe loop.deadline.map { $0 <= polledAt } ?? false
        if !ready.isEmpty || isDue { unsafe loop.ready?(Array(ready), polledAt) }
        return true
    }

    /// Milliseconds for `poll`, rounded up so that the deadline has passed when `poll` returns. -1 means no limit.
    private func pollTimeout(from now: ContinuousClock.Instant) -> Int32 {
        guard let deadline = unsafe loop.deadline else { return -1 }
        let left = now.duration(to: deadline)
        guard left > .zero else { return 0 }
        let milliseconds = left / .milliseconds(1)
        return milliseconds >= Double(Int32.max) ? Int32.max : Int32(milliseconds.rounded(.up))
    }
}

/// Blocks SIGPIPE on this thread and on the threads that it starts. A closed connection must be an error and must not end the process.
/// OpenSSL writes to sockets without MSG_NOSIGNAL. libcurl does not handle SIGPIPE when its signals are off, as they are here because of
/// threads.
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
