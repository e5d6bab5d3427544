/// JSON Pointer text, RFC 6901.
package enum JSONPointer {
    /// A reported pointer cuts names beyond this: a stranger's 200 kB member name belongs in no log line.
    static let longestSegment = 128

    /// `pointer` with one more segment, `~` and `/` escaped; a very long name is cut, see ``longestSegment``.
    package static func appending(_ segment: String, to pointer: String) -> String {
        var shown = segment
        if segment.utf8.count > longestSegment {
            shown = String(decoding: segment.utf8.prefix(longestSegment), as: UTF8.self) + "…"
        }
        return pointer + "/" + escape(shown)
    }

    /// A segment as it stands in a pointer.
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
