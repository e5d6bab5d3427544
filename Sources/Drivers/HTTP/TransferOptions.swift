import CCurl

extension Transfer {
    /// The longest idle time in seconds after which a kept connection is used again. Common servers close theirs after 5 s (Node.js,
    /// Apache). If a request crosses such a close, the sender cannot know whether the server processed it.
    static let longestIdleSeconds = 4

    /// Sets every option on the easy handle. Returns a failure when libcurl refuses an option, for example for lack of memory.
    func configure(with configuration: HTTPConfiguration) -> HTTPFailure? {
        var options = unsafe OptionSetter(easy: easy)
        setLimits(&options)
        setDefences(&options, configuration)
        setCallbacks(&options)
        setRequest(&options, configuration)
        guard options.worst == CURLE_OK else {
            return HTTPFailure(.invalidURL, unsafe "libcurl refuses the request: \(String(cString: curl_easy_strerror(options.worst)))")
        }
        return nil
    }

    private func setLimits(_ options: inout OptionSetter) {
        // The loop keeps the total time-out. libcurl keeps this one, because it divides the time between the addresses of a host. After a
        // pause of the process libcurl may end a connection that was ready, but over such a connection nothing was sent.
        options.set(CURLOPT_CONNECTTIMEOUT_MS, millisecondsLeft(until: connectDeadline))
        // Quick exit: ending a transfer must not wait for the resolver's thread, which a dead DNS server blocks for many seconds.
        options.set(CURLOPT_QUICK_EXIT, 1)
        options.set(CURLOPT_MAXAGE_CONN, Self.longestIdleSeconds)
        options.set(CURLOPT_NOSIGNAL, 1)
    }

    private func setDefences(_ options: inout OptionSetter, _ configuration: HTTPConfiguration) {
        options.set(CURLOPT_PROTOCOLS_STR, "http,https")
        options.set(CURLOPT_FOLLOWLOCATION, 0)
        // An empty string turns proxies off, including those of `http_proxy` and similar variables.
        options.set(CURLOPT_PROXY, "")
        options.set(CURLOPT_NOPROXY, "*")
        options.set(CURLOPT_NETRC, 0)
        options.set(CURLOPT_SSL_VERIFYPEER, 1)
        options.set(CURLOPT_SSL_VERIFYHOST, 2)
        options.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // HTTP/2 only if TLS negotiates it; plain HTTP stays at 1.1.
        options.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        if let file = configuration.certificateAuthorityFile { options.set(CURLOPT_CAINFO, file) }
    }

    private func setCallbacks(_ options: inout OptionSetter) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe options.set(CURLOPT_PRIVATE, context)
        unsafe options.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
        unsafe options.set(CURLOPT_WRITEDATA, context)
        unsafe options.set(CURLOPT_HEADERDATA, context)
        unsafe options.set(CURLOPT_OPENSOCKETDATA, context)
        unsafe options.set(CURLOPT_PREREQDATA, context)
        unsafe options.note(tidings_easy_set_data_callback(easy, CURLOPT_WRITEFUNCTION, bodyArrived))
        unsafe options.note(tidings_easy_set_data_callback(easy, CURLOPT_HEADERFUNCTION, headLineArrived))
        unsafe options.note(tidings_easy_set_open_socket(easy, openSocket))
        unsafe options.note(tidings_easy_set_before_request(easy, requestBegins))
    }

    private func setRequest(_ options: inout OptionSetter, _ configuration: HTTPConfiguration) {
        options.set(CURLOPT_URL, target.url)
        switch (request.method, request.body.isEmpty) {
        case ("GET", true): options.set(CURLOPT_HTTPGET, 1)
        case ("HEAD", _): options.set(CURLOPT_NOBODY, 1)
        case (let method, _):
            options.set(CURLOPT_POST, 1)
            options.setOffset(CURLOPT_POSTFIELDSIZE_LARGE, Int64(request.body.count))
            unsafe request.body.withUnsafeBytes { body in
                // With no body the pointer is nil, which would make libcurl ask a read callback for one.
                unsafe options.note(
                    body.isEmpty
                        ? tidings_easy_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
                        : tidings_easy_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, body.baseAddress))
            }
            if method != "POST" { options.set(CURLOPT_CUSTOMREQUEST, method) }
        }
        var names: Set<String> = []
        for (name, value) in request.headers {
            names.insert(name.lowercased())
            append(header: value.isEmpty ? "\(name);" : "\(name): \(value)", &options)  // libcurl's spelling of an empty value: semicolon
        }
        if !names.contains("user-agent") { append(header: "user-agent: \(configuration.userAgent)", &options) }
        // Remove the headers that libcurl adds by itself: the content type of a form, and `expect`, which waits for 100 Continue before a
        // large body.
        if !names.contains("content-type") { append(header: "content-type:", &options) }
        append(header: "expect:", &options)
        unsafe options.set(CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(headerList))
    }

    private func append(header: String, _ options: inout OptionSetter) {
        guard let longer = unsafe curl_slist_append(headerList, header) else {
            options.note(CURLE_OUT_OF_MEMORY)
            return
        }
        unsafe headerList = unsafe longer
    }
}

/// Sets options and remembers the first refusal.
@safe private struct OptionSetter {
    let easy: UnsafeMutableRawPointer
    private(set) var worst = CURLE_OK

    init(easy: UnsafeMutableRawPointer) { unsafe self.easy = unsafe easy }

    mutating func note(_ code: CURLcode) {
        if worst == CURLE_OK { worst = code }
    }

    mutating func set(_ option: CURLoption, _ value: Int) { unsafe note(tidings_easy_set_long(easy, option, value)) }
    mutating func setOffset(_ option: CURLoption, _ value: Int64) { unsafe note(tidings_easy_set_offset(easy, option, curl_off_t(value))) }
    mutating func set(_ option: CURLoption, _ value: String) { unsafe note(tidings_easy_set_string(easy, option, value)) }
    mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        unsafe note(tidings_easy_set_pointer(easy, option, value))
    }
}

/// Whole milliseconds until the deadline: at least 1, because libcurl reads zero as "no limit", and at most one day, which fits every
/// `long`.
private func millisecondsLeft(until deadline: ContinuousClock.Instant) -> Int {
    let left = ContinuousClock.now.duration(to: deadline)
    return Int(max(1, min(86_400_000, (left / .milliseconds(1)).rounded(.up))))
}
