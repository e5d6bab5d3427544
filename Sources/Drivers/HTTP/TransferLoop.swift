import CCurl
import Glibc
import TidingsSocket

/// libcurl's multi handle, driven by the sockets that a ``SocketThread`` polls. Everything here runs on that thread.
///
/// libcurl says which sockets it waits for (``remember(socket:action:)``) and when it wants to run again (`curl_multi_timeout`, asked
/// after every turn rather than through its timer callback, which stays silent after a turn that came a moment too early).
///
/// The loop keeps the total time-out of a transfer itself. libcurl would look at its own before it reads (seen with 7.88), so after a pause
/// of the process an answer that lies in the socket would be a time-out.
@safe final class TransferLoop {
    private let multi: UnsafeMutableRawPointer
    private let thread: SocketThread
    private let cancelled: SocketMailbox<UInt64>
    private let configuration: HTTPConfiguration
    private var permits: HostPermits
    /// Transfers that wait for a permit, and transfers that libcurl has.
    private var transfers: [UInt64: Transfer] = [:]
    /// Poll events by socket, as libcurl requested them last.
    private var wanted: [Int32: Int16] = [:]
    private var interests: [SocketThread.Interest] = []
    private var hasNewInterests = true

    /// Initializes libcurl once per process, before any other call of libcurl.
    private static let globalInit: CURLcode = tidings_curl_global_init()

    init(configuration: HTTPConfiguration, thread: SocketThread, cancelled: SocketMailbox<UInt64>) {
        precondition(Self.globalInit == CURLE_OK, "libcurl cannot be initialised")
        guard let multi = unsafe curl_multi_init() else { preconditionFailure("libcurl has no memory for a multi handle") }
        unsafe self.multi = unsafe multi
        self.thread = thread
        self.cancelled = cancelled
        self.configuration = configuration
        permits = HostPermits(maximum: configuration.maximumRequests, maximumPerHost: configuration.maximumRequestsPerHost)
        unsafe tidings_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.maximumRequests)
        // libcurl calls back only while it is called, so a reference that does not count is enough.
        unsafe tidings_multi_set_socket_callback(multi, socketChanged, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Starts a transfer. Its continuation is resumed exactly once, at the latest by ``close()``.
    func start(_ transfer: Transfer) {
        transfers[transfer.id] = transfer
        permits.enter(transfer.id, host: transfer.target.origin, deadline: min(transfer.connectDeadline, transfer.totalDeadline))
        admit()
        // Judge no time-out here: nothing has looked at the sockets.
        perform([])
        admit()
        watch()
    }

    /// Runs one turn: ready sockets, due timers, cancelled transfers and finished transfers. Then it ends the transfers whose time was over
    /// at `polledAt`, when the poll for `ready` began. libcurl reads at least 16 KiB of a ready socket in a turn.
    func drive(_ ready: [pollfd], polledAt: ContinuousClock.Instant) {
        perform(ready)
        expire(at: polledAt)
        admit()
        watch()
    }

    private func perform(_ ready: [pollfd]) {
        var running: Int32 = 0
        for descriptor in ready {
            if descriptor.fd == cancelled.reader {
                for id in cancelled.dequeueAll() { end(id, .cancelled, "the task was cancelled") }
            } else if let events = wanted[descriptor.fd] {
                unsafe curl_multi_socket_action(multi, descriptor.fd, selectMask(descriptor.revents, watchedFor: events), &running)
            }
        }
        unsafe curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        settleFinished()
    }

    /// Ends all transfers and frees the multi handle. The loop must not be used afterwards.
    func close() {
        for id in transfers.keys.sorted() { end(id, .cancelled, "the transport was closed") }
        unsafe curl_multi_cleanup(multi)
        thread.watch([], until: nil)
    }

    /// Hands every admitted request to libcurl. libcurl then asks to run at once, which happens in the next turn.
    private func admit() {
        while let id = permits.next() {
            guard let transfer = transfers[id] else { preconditionFailure("request \(id) was admitted without a transfer") }
            let failure = transfer.configure(with: configuration) ?? add(transfer)
            guard let failure else {
                transfer.isUnderWay = true
                continue
            }
            transfers[id] = nil
            permits.leave(host: transfer.target.origin)
            transfer.finish(.failed(failure))
        }
    }

    private func add(_ transfer: Transfer) -> HTTPFailure? {
        let code = unsafe curl_multi_add_handle(multi, transfer.easy)
        return unsafe code == CURLM_OK ? nil : HTTPFailure(.connect, String(cString: curl_multi_strerror(code)))
    }

    /// Ends a transfer from our side, whether it waits for a permit or runs.
    private func end(_ id: UInt64, _ kind: HTTPFailure.Kind, _ reason: String) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        if transfer.isUnderWay {
            unsafe curl_multi_remove_handle(multi, transfer.easy)
            permits.leave(host: transfer.target.origin)
        } else {
            permits.withdraw(id)
        }
        transfer.finish(.failed(HTTPFailure(kind: kind, requestMayHaveArrived: transfer.hasBegunSending, message: reason)))
    }

    private func settleFinished() {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else { continue }
            let code = unsafe message.pointee.data.result  // the message is gone once its handle is removed
            var pointer: UnsafeMutableRawPointer?
            unsafe tidings_easy_get_private(easy, &pointer)
            guard let pointer = unsafe pointer else { preconditionFailure("a finished transfer has lost its context") }
            let transfer = unsafe Unmanaged<Transfer>.fromOpaque(pointer).takeUnretainedValue()
            settle(transfer, code)
        }
    }

    /// Ends the transfers whose time was over at this instant. If the head of the answer has arrived, the answer is the result.
    private func expire(at now: ContinuousClock.Instant) {
        let late = transfers.values.filter { $0.isUnderWay && $0.deadline <= now }
        for transfer in late { settle(transfer, CURLE_OPERATION_TIMEDOUT) }
        for id in permits.expire(at: now) { end(id, .noRoom, "no request to this host ended in time to begin this one") }
    }

    private func settle(_ transfer: Transfer, _ code: CURLcode) {
        unsafe curl_multi_remove_handle(multi, transfer.easy)
        transfers[transfer.id] = nil
        permits.leave(host: transfer.target.origin)
        transfer.finish(transfer.result(of: code))
    }

    private func watch() {
        if hasNewInterests {
            interests = wanted.map { SocketThread.Interest(socket: $0.key, events: $0.value) } + [.reading(cancelled.reader)]
            hasNewInterests = false
        }
        var milliseconds = -1
        unsafe curl_multi_timeout(multi, &milliseconds)
        let libcurlsTurn = milliseconds < 0 ? nil : ContinuousClock.now + .milliseconds(milliseconds)
        let end = transfers.values.lazy.filter(\.isUnderWay).map(\.deadline).min()
        thread.watch(interests, until: [libcurlsTurn, permits.earliestDeadline, end].compactMap(\.self).min())
    }

    /// Stores libcurl's request for a socket as poll events.
    fileprivate func remember(socket: Int32, action: Int32) {
        hasNewInterests = true
        switch action {
        case CURL_POLL_IN: wanted[socket] = Int16(POLLIN)
        case CURL_POLL_OUT: wanted[socket] = Int16(POLLOUT)
        case CURL_POLL_INOUT: wanted[socket] = Int16(POLLIN | POLLOUT)
        default: wanted[socket] = nil
        }
    }
}

/// `CURLMOPT_SOCKETFUNCTION`: libcurl wants other events of a socket, or none.
private func socketChanged(
    _ easy: UnsafeMutableRawPointer?, _ socket: Int32, _ action: Int32, _ context: UnsafeMutableRawPointer?,
    _ socketContext: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<TransferLoop>.fromOpaque(context).takeUnretainedValue().remember(socket: socket, action: action)
    return 0
}

/// Translates poll events to libcurl's. An error or hang-up is reported as the events that were requested. The next read or write then
/// gives the real error, while libcurl's own error flag would replace it with a general one.
private func selectMask(_ events: Int16, watchedFor wanted: Int16) -> Int32 {
    var seen = Int32(events)
    if seen & Int32(POLLERR | POLLHUP | POLLNVAL) != 0 { seen |= Int32(wanted) }
    return (seen & Int32(POLLIN) != 0 ? CURL_CSELECT_IN : 0) | (seen & Int32(POLLOUT) != 0 ? CURL_CSELECT_OUT : 0)
}
