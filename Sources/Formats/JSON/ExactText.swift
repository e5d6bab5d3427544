import Glibc

/// Whether two strings hold the same code points.
///
/// Swift's own `==` also equates canonically equivalent text. RFC 8259 section 8.3 compares names code unit by code unit. Two member names
/// that are equal in Swift may be two members.
@inline(__always)
package func isSameText(_ left: String, _ right: String) -> Bool {
    // Compare the 16 bytes of the string values first, which settles nearly all names. Equal bytes mean equal text, stored in place or
    // shared. Different bytes mean nothing.
    if unsafeBitCast(left, to: (UInt64, UInt64).self) == unsafeBitCast(right, to: (UInt64, UInt64).self) { return true }
    // Do not use `==`: for strings that differ it checks canonical equivalence, which costs microseconds each time.
    return left.utf8.count == right.utf8.count && hasSameBytes(left, right)
}

private func hasSameBytes(_ left: String, _ right: String) -> Bool {
    let isSame = left.utf8.withContiguousStorageIfAvailable { mine in
        right.utf8.withContiguousStorageIfAvailable { theirs in
            guard let first = mine.baseAddress, let second = theirs.baseAddress else { return true }
            return memcmp(first, second, mine.count) == 0
        }
    }
    return (isSame ?? nil) ?? left.utf8.elementsEqual(right.utf8)
}

/// A string as a set or dictionary key that compares code points: see ``isSameText(_:_:)``.
package struct ExactText: Hashable {
    let text: String

    package init(_ text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { isSameText(left.text, right.text) }

    package func hash(into hasher: inout Hasher) { hasher.combineExactly(text) }
}

extension Hasher {
    /// Adds the code points. A `String` would add its normal form, which thousands of different texts can share. A set of such texts would
    /// cost the square of its size.
    mutating func combineExactly(_ text: String) {
        let isCombined: Void? = text.utf8.withContiguousStorageIfAvailable { combine(bytes: UnsafeRawBufferPointer($0)) }
        if isCombined == nil { Array(text.utf8).withUnsafeBytes { combine(bytes: $0) } }
        // End with a byte that no text has, so that no text is the beginning of another.
        combine(0xFF as UInt8)
    }
}
