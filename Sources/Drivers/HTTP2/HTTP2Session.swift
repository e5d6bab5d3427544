import CNGHTTP2
import TidingsHTTP

/// Events from the peer of an ``HTTP2Session``, in their order on the connection.
package protocol HTTP2SessionEvents: AnyObject {
    /// A head arrived, with its pseudo-headers first. A stream has more than one head if there are interim responses or trailers.
    func headArrived(_ stream: Int32, _ headers: [(String, String)])
    func dataArrived(_ stream: Int32, _ bytes: UnsafeRawBufferPointer)
    /// The peer has ended its side of this stream.
    func messageEnded(_ stream: Int32)
    /// The stream is closed: both sides are done (`NO_ERROR`), or one side reset it. A stream that a GOAWAY names as unprocessed closes
    /// with `REFUSED_STREAM`.
    func streamClosed(_ stream: Int32, errorCode: UInt32)
    /// Our head of this stream is sent now.
    func headSent(_ stream: Int32)
    /// The peer's settings arrived. The first ones are the start of the peer's side of the connection.
    func settingsArrived()
    /// The peer accepts no new streams. The debug data is the peer's message.
    func goAwayArrived(errorCode: UInt32, debugData: String)
}

/// One HTTP/2 connection without its socket: nghttp2 makes and reads the frames, compresses headers and keeps to the peer's windows and limits.
@safe package final class HTTP2Session {
    package enum Side {
        case client, server
    }

    /// The largest size of one head in bytes of names and values. A larger head resets its stream.
    static let maximumHeadBytes = 64 << 10

    private struct Body {
        var bytes: [UInt8]
        var sent = 0
    }

    private let pointer: OpaquePointer
    private weak var events: (any HTTP2SessionEvents)?
    private var heads: [Int32: (headers: [(String, String)], byteCount: Int)] = [:]
    private var bodies: [Int32: Body] = [:]

    /// - Parameters:
    ///   - settings: the limits that this side sets for the peer.
    ///   - events: the receiver of events. It must outlive every call of this session.
    package init(_ side: Side, settings: [HTTP2Setting], events: any HTTP2SessionEvents) {
        var callbacks: OpaquePointer?
        var session: OpaquePointer?
        let memory = unsafe nghttp2_session_callbacks_new(&callbacks)
        precondition(memory == 0, "nghttp2 has no memory for callbacks")
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headBegins)
        unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, headerArrived)
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameArrived)
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, dataArrived)
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
        unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, frameSent)
        defer { unsafe nghttp2_session_callbacks_del(callbacks) }
        // The session's context is set below, when there is a self to name.
        let create = unsafe side == .client ? nghttp2_session_client_new : nghttp2_session_server_new
        let code = unsafe create(&session, callbacks, nil)
        guard code == 0, let session = unsafe session else { preconditionFailure("nghttp2 has no memory for a session") }
        unsafe pointer = unsafe session
        self.events = events
        unsafe nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
        unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings.map(\.entry), settings.count)
    }

    deinit { unsafe nghttp2_session_del(pointer) }

    // MARK: Bytes in and out

    /// Processes bytes from the peer. Returns nil on success, or the reason why the connection is no longer usable.
    package func receive(_ bytes: UnsafeRawBufferPointer) -> String? {
        let taken = unsafe nghttp2_session_mem_recv(pointer, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        return unsafe taken < 0 ? String(cString: nghttp2_strerror(Int32(taken))) : nil
    }

    /// Appends frames for the peer while `output` has less than `limit` bytes. Returns false when the session failed.
    package func fill(_ output: inout OutputBuffer, limit: Int) -> Bool {
        while output.count < limit {
            var chunk: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(pointer, &chunk)
            guard count > 0, let chunk = unsafe chunk else { return count == 0 }
            unsafe output.append(UnsafeRawBufferPointer(start: chunk, count: count))
        }
        return true
    }

    /// Frames of ours wait to go out.
    package var wantsToWrite: Bool { unsafe nghttp2_session_want_write(pointer) != 0 }
    /// Neither side has anything to say any more.
    package var isOver: Bool { unsafe nghttp2_session_want_read(pointer) == 0 && !wantsToWrite }
    /// Streams that the peer allows at once; very many until its settings came.
    var remoteStreamLimit: Int { unsafe Int(nghttp2_session_get_remote_settings(pointer, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)) }

    // MARK: Frames of this side

    /// Starts a stream with a complete head and body. Returns nil when this connection can have no more streams.
    func request(_ headers: [(String, String)], unindexed: Set<String>, body: [UInt8]) -> Int32? {
        let stream = unsafe withHeaders(headers, unindexed) {
            unsafe nghttp2_submit_request(pointer, nil, $0, $1, body.isEmpty ? nil : $2, nil)
        }
        guard stream > 0 else { return nil }
        if !body.isEmpty { bodies[stream] = Body(bytes: body) }
        return stream
    }

    /// Sends a complete head and body on a stream that the peer began.
    package func respond(_ stream: Int32, _ headers: [(String, String)], body: [UInt8]) {
        if !body.isEmpty { bodies[stream] = Body(bytes: body) }
        _ = unsafe withHeaders(headers, []) { unsafe nghttp2_submit_response(pointer, stream, $0, $1, body.isEmpty ? nil : $2) }
    }

    package func reset(_ stream: Int32, _ errorCode: HTTP2ErrorCode) {
        unsafe nghttp2_submit_rst_stream(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, errorCode.rawValue)
    }

    package func allow(_ settings: [HTTP2Setting]) {
        unsafe nghttp2_submit_settings(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings.map(\.entry), settings.count)
    }

    /// Refuses new streams from the peer. Streams up to `lastStream` are answered, and later streams were not processed.
    package func goAway(lastStream: Int32, _ errorCode: HTTP2ErrorCode, debugData: [UInt8] = []) {
        unsafe nghttp2_submit_goaway(
            pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), lastStream, errorCode.rawValue, debugData, debugData.count)
    }

    /// The last stream that the peer began and we have seen.
    package var lastStreamSeen: Int32 { unsafe nghttp2_session_get_last_proc_stream_id(pointer) }

    // MARK: nghttp2's callbacks

    fileprivate func begin(_ stream: Int32) { heads[stream] = ([], 0) }

    /// Adds one header to the head of a stream. Returns false when the head is too long.
    fileprivate func receive(_ stream: Int32, name: String, value: String) -> Bool {
        heads[stream, default: ([], 0)].byteCount += name.utf8.count + value.utf8.count
        heads[stream, default: ([], 0)].headers.append((name, value))
        return heads[stream, default: ([], 0)].byteCount <= Self.maximumHeadBytes
    }

    fileprivate func arrived(_ frame: nghttp2_frame) {
        let stream = unsafe frame.hd.stream_id
        if unsafe Int(frame.hd.type) == Int(NGHTTP2_HEADERS.rawValue), let head = heads.removeValue(forKey: stream) {
            events?.headArrived(stream, head.headers)
        }
        if unsafe Int(frame.hd.type) == Int(NGHTTP2_GOAWAY.rawValue) {
            let words = unsafe UnsafeRawBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
            unsafe events?.goAwayArrived(errorCode: frame.goaway.error_code, debugData: String(decoding: words, as: UTF8.self))
        }
        if unsafe Int(frame.hd.type) == Int(NGHTTP2_SETTINGS.rawValue), unsafe Int(frame.hd.flags) & Int(NGHTTP2_FLAG_ACK.rawValue) == 0 {
            events?.settingsArrived()
        }
        let canEnd = unsafe [Int(NGHTTP2_HEADERS.rawValue), Int(NGHTTP2_DATA.rawValue)].contains(Int(frame.hd.type))
        if canEnd, unsafe Int(frame.hd.flags) & Int(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { events?.messageEnded(stream) }
    }

    fileprivate func arrived(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) { unsafe events?.dataArrived(stream, bytes) }

    fileprivate func closed(_ stream: Int32, _ errorCode: UInt32) {
        heads[stream] = nil
        bodies[stream] = nil
        events?.streamClosed(stream, errorCode: errorCode)
    }

    fileprivate func sent(_ frame: nghttp2_frame) {
        if unsafe Int(frame.hd.type) == Int(NGHTTP2_HEADERS.rawValue) { unsafe events?.headSent(frame.hd.stream_id) }
    }

    /// Copies the next bytes of a body, and returns whether they are the last.
    fileprivate func next(_ stream: Int32, into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isLast: Bool) {
        guard var body = bodies.removeValue(forKey: stream) else { return (0, true) }
        let count = min(buffer.count, body.bytes.count - body.sent)
        unsafe body.bytes.withUnsafeBytes {
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[body.sent..<body.sent + count]))
        }
        body.sent += count
        let isLast = body.sent == body.bytes.count
        if !isLast { bodies[stream] = body }
        return (count, isLast)
    }

    /// Calls `body` with the headers in nghttp2's form. nghttp2 copies them during the call.
    private func withHeaders(
        _ headers: [(String, String)], _ unindexed: Set<String>,
        _ body: (UnsafePointer<nghttp2_nv>?, Int, UnsafePointer<nghttp2_data_provider>?) -> Int32
    ) -> Int32 {
        var text: [UInt8] = []
        for (name, value) in headers { text += Array(name.utf8) + Array(value.utf8) }
        var provider = unsafe nghttp2_data_provider(source: nghttp2_data_source(fd: 0), read_callback: nextBodyBytes)
        return unsafe text.withUnsafeMutableBufferPointer { buffer in
            var start = 0
            var entries: [nghttp2_nv] = unsafe []
            for (name, value) in headers {
                let (nameLength, valueLength) = (name.utf8.count, value.utf8.count)
                let flag = unindexed.contains(name) ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
                unsafe entries.append(
                    nghttp2_nv(
                        name: buffer.baseAddress.map { unsafe $0 + start },
                        value: unsafe buffer.baseAddress.map { unsafe $0 + start + nameLength },
                        namelen: nameLength, valuelen: valueLength, flags: UInt8(flag.rawValue)))
                start += nameLength + valueLength
            }
            return unsafe body(entries, entries.count, &provider)
        }
    }
}

private func session(_ context: UnsafeMutableRawPointer?) -> HTTP2Session? {
    unsafe context.map { unsafe Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
}

private func headBegins(_: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    if let frame = unsafe frame { unsafe session(context)?.begin(frame.pointee.hd.stream_id) }
    return 0
}

private func headerArrived(
    _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ name: UnsafePointer<UInt8>?, _ nameLength: Int,
    _ value: UnsafePointer<UInt8>?, _ valueLength: Int, _: UInt8, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let frame = unsafe frame, let session = unsafe session(context) else { return 0 }
    let fits = unsafe session.receive(
        frame.pointee.hd.stream_id, name: String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self),
        value: String(decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self))
    return fits ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
}

private func frameArrived(_: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    if let frame = unsafe frame { unsafe session(context)?.arrived(frame.pointee) }
    return 0
}

private func dataArrived(
    _: OpaquePointer?, _: UInt8, _ stream: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    unsafe session(context)?.arrived(stream, UnsafeRawBufferPointer(start: bytes, count: count))
    return 0
}

private func streamClosed(_: OpaquePointer?, _ stream: Int32, _ errorCode: UInt32, _ context: UnsafeMutableRawPointer?) -> Int32 {
    unsafe session(context)?.closed(stream, errorCode)
    return 0
}

private func frameSent(_: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?) -> Int32 {
    if let frame = unsafe frame { unsafe session(context)?.sent(frame.pointee) }
    return 0
}

private func nextBodyBytes(
    _: OpaquePointer?, _ stream: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ length: Int, _ flags: UnsafeMutablePointer<UInt32>?,
    _: UnsafeMutablePointer<nghttp2_data_source>?, _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let session = unsafe session(context) else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
    let (count, isLast) = unsafe session.next(stream, into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
    if isLast { unsafe flags?.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
    return count
}
