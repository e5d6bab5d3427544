/// Removes secrets from a text, for ``SendResult/hiding(_:)``.
///
/// Text and secrets are folded before they are compared: letters become lower case, `%2F` and JSON escapes are decoded, control characters
/// become spaces. Every part of the text that a secret covers is replaced. If two secrets overlap, nothing of either remains.
struct HiddenSecrets: Sendable {
    /// The shortest word of a secret, in bytes, that counts as a secret by itself. Shorter words are common ones such as `Bearer`.
    static let shortestWord = 8
    /// The shortest beginning of a secret, in bytes, that is hidden at the very end of a text. The text may have been cut there.
    static let shortestBeginning = 4

    private static let mark = "…"

    /// The secrets and their longer words, folded.
    private let patterns: [[UInt8]]

    init(_ secrets: [String]) {
        var patterns: Set<[UInt8]> = []
        for secret in secrets {
            let whole = FoldedText(secret.utf8).bytes
            if whole.count >= SendResult.shortestSecret { patterns.insert(whole) }
            for word in whole.split(separator: UInt8(ascii: " ")) where word.count >= Self.shortestWord && !Self.isFrame(word) {
                patterns.insert(Array(word))
            }
        }
        self.patterns = Array(patterns)
    }

    /// Whether a word belongs to the lines around a key in PEM form, such as `-----BEGIN`.
    private static func isFrame(_ word: ArraySlice<UInt8>) -> Bool {
        let dashes = Array(repeating: UInt8(ascii: "-"), count: 5)
        return word.starts(with: dashes) || word.suffix(5).elementsEqual(dashes)
    }

    func hidden(in text: String) -> String {
        let folded = FoldedText(text.utf8)
        var isCovered = [Bool](repeating: false, count: folded.bytes.count)
        for pattern in patterns { Self.cover(pattern, in: folded.bytes, &isCovered) }
        guard isCovered.contains(true) else { return text }
        return Self.replacing(isCovered, of: folded, in: Array(text.utf8))
    }

    /// Marks every occurrence of the pattern, and a beginning of the pattern at the end of the text.
    ///
    /// The search of Knuth, Morris and Pratt takes time in proportion to both lengths, for every answer that a service can give.
    private static func cover(_ pattern: [UInt8], in text: [UInt8], _ isCovered: inout [Bool]) {
        // Check this first: it is cheap, and almost every text ends here. The search runs for every push with an id.
        guard holdsBeginning(of: pattern, text) else { return }
        let borders = borders(of: pattern)
        var matched = 0
        for (place, byte) in text.enumerated() {
            while matched > 0, matched == pattern.count || pattern[matched] != byte { matched = borders[matched - 1] }
            if pattern[matched] == byte { matched += 1 }
            guard matched == pattern.count else { continue }
            for covered in (place + 1 - matched)...place { isCovered[covered] = true }
        }
        guard matched >= shortestBeginning else { return }
        for covered in (text.count - matched)..<text.count { isCovered[covered] = true }
    }

    /// Whether the text has the pattern's first bytes anywhere. Without them it has nothing to hide.
    private static func holdsBeginning(of pattern: [UInt8], _ text: [UInt8]) -> Bool {
        guard text.count >= shortestBeginning else { return false }
        let beginning = pattern.prefix(shortestBeginning)
        return (0...(text.count - shortestBeginning)).contains { start in
            text[start] == beginning[0] && text[start..<(start + shortestBeginning)].elementsEqual(beginning)
        }
    }

    /// Returns for each beginning of the pattern the length of the longest shorter beginning that is also its end.
    private static func borders(of pattern: [UInt8]) -> [Int] {
        var borders = [Int](repeating: 0, count: pattern.count)
        var length = 0
        for place in pattern.indices.dropFirst() {
            while length > 0, pattern[length] != pattern[place] { length = borders[length - 1] }
            if pattern[length] == pattern[place] { length += 1 }
            borders[place] = length
        }
        return borders
    }

    /// Replaces each unbroken covered part by one mark.
    private static func replacing(_ isCovered: [Bool], of folded: FoldedText, in text: [UInt8]) -> String {
        var result: [UInt8] = []
        for (index, covered) in isCovered.enumerated() {
            if !covered {
                let (start, end) = (folded.places[index], folded.places[index + 1])
                result.append(contentsOf: text[start..<end])
            } else if index == 0 || !isCovered[index - 1] {
                result.append(contentsOf: mark.utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// A text in the folded form that ``HiddenSecrets`` compares, with the place in the text that each byte came from.
struct FoldedText {
    private(set) var bytes: [UInt8] = []
    /// The place in the text at which each of ``bytes`` begins, and last the end of the text. If one escape encodes several bytes, the
    /// first byte spans the whole escape and the others span nothing.
    private(set) var places: [Int] = []

    init(_ utf8: String.UTF8View) {
        let text = Array(utf8)
        bytes.reserveCapacity(text.count)
        places.reserveCapacity(text.count + 1)
        var place = 0
        while place < text.count {
            guard Self.mayEscape(text[place]), let (meant, length) = Self.escape(text[place...]) else {
                bytes.append(Self.folded(text[place]))
                places.append(place)
                place += 1
                continue
            }
            for (position, byte) in meant.enumerated() {
                bytes.append(Self.folded(byte))
                places.append(position == 0 ? place : place + length)
            }
            place += length
        }
        places.append(text.count)
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0..<0x20, 0x7F: UInt8(ascii: " ")
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        default: byte
        }
    }

    private static func mayEscape(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") }

    /// Returns the meaning and the length of the escape at the beginning, or nil if there is none.
    private static func escape(_ rest: ArraySlice<UInt8>) -> (meant: [UInt8], length: Int)? {
        let next = rest.dropFirst()
        switch rest.first {
        case UInt8(ascii: "%"): return number(next.prefix(2), digits: 2).map { ([UInt8(truncatingIfNeeded: $0)], 3) }
        case UInt8(ascii: "\\"):
            switch next.first {
            case UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "\\"): return (Array(next.prefix(1)), 2)
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f"): return ([0x20], 2)
            case UInt8(ascii: "u"):
                guard let scalar = number(next.dropFirst().prefix(4), digits: 4).flatMap(Unicode.Scalar.init) else { return nil }
                return (Array(String(Character(scalar)).utf8), 6)
            default: return nil
            }
        default: return nil
        }
    }

    /// Returns the value of exactly `digits` hexadecimal digits, or nil for another text.
    private static func number(_ text: ArraySlice<UInt8>, digits: Int) -> UInt32? {
        guard text.count == digits else { return nil }
        var number: UInt32 = 0
        for byte in text {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            number = number << 4 | UInt32(digit)
        }
        return number
    }
}
