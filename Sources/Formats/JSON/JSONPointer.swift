/// JSON Pointer text, RFC 6901.
package enum JSONPointer {
    /// The longest name that a reported pointer shows, in bytes. A member name of 200 kB from outside must not fill a log line.
    static let longestSegment = 128

    /// Returns `pointer` with one more segment, `~` and `/` escaped. A very long name is cut: see ``longestSegment``.
    package static func appending(_ segment: String, to pointer: String) -> String {
        var shown = segment
        if segment.utf8.count > longestSegment {
            shown = String(decoding: segment.utf8.prefix(longestSegment), as: UTF8.self) + "…"
        }
        return pointer + "/" + escape(shown)
    }

    /// Returns a segment as it is written in a pointer.
    package static func escape(_ segment: String) -> String {
        guard segment.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else { return segment }
        var escaped = ""
        for scalar in segment.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
