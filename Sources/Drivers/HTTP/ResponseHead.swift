/// The status line and headers of a response, line by line as libcurl delivers them. The next status line discards an interim response
/// (1xx). Lines after the final head are trailers, and are dropped.
struct ResponseHead {
    private(set) var status = 0
    private(set) var headers: [(String, String)] = []
    /// Whether the empty line after a final status has arrived.
    private(set) var isComplete = false
    private(set) var isTooLong = false
    private var byteCount = 0

    /// Adds one line with its line break. Returns false when all lines together, interim responses and trailers included, exceed the limit.
    mutating func receive(_ line: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
        byteCount += line.count
        isTooLong = byteCount > limit && !isComplete
        if byteCount > limit { return false }
        if isComplete { return true }
        let text = unsafe line.prefix { $0 != 0x0D && $0 != 0x0A }
        if unsafe text.isEmpty {
            isComplete = status >= 200
        } else if unsafe text.starts(with: "HTTP/".utf8) {
            status = unsafe Self.status(in: text)
            headers = []
        } else if let colon = unsafe text.firstIndex(of: 0x3A) {
            let name = unsafe String(decoding: text[..<colon], as: UTF8.self).lowercased()
            unsafe headers.append((name, String(decoding: text[(colon + 1)...].trimmed, as: UTF8.self)))
        }
        return true
    }

    /// The number after the first space, as in `HTTP/1.1 204 No Content`. 0 when there is none.
    private static func status(in line: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        guard let space = unsafe line.firstIndex(of: 0x20) else { return 0 }
        let digits = unsafe line[(space + 1)...].prefix { (0x30...0x39).contains($0) }
        return unsafe digits.count == 3 ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : 0
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// The same bytes without spaces and tabs at either end.
    fileprivate var trimmed: Self {
        var rest = self
        while let first = unsafe rest.first, first == 0x20 || first == 0x09 { unsafe rest = unsafe rest.dropFirst() }
        while let last = unsafe rest.last, last == 0x20 || last == 0x09 { unsafe rest = unsafe rest.dropLast() }
        return unsafe rest
    }
}
