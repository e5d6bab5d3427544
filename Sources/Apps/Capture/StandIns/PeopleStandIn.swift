/// What the stand-ins of platforms have in common that know people and keep their devices themselves.
extension StandInAnswer {
    /// Bytes of an id.
    private static let longestMessageID = 512

    /// Whom a request sends what. A list that makes the id too long is cut, what is sent is kept.
    static func messageID(people: [String], what: String) -> String {
        let what = cut(what, to: longestMessageID / 2)
        return cut(people.joined(separator: ","), to: longestMessageID - 1 - what.utf8.count) + " " + what
    }

    /// At most `count` bytes, ending with a whole character.
    private static func cut(_ text: String, to count: Int) -> String {
        var end = text.utf8.index(text.startIndex, offsetBy: count, limitedBy: text.endIndex) ?? text.endIndex
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }

    /// Whether the credential is one that the real provider would not know (401) or would not let do this (403).
    static func refusal(ofCredential credential: String) -> Int? {
        if credential.isEmpty || credential.contains("wrong") { return 401 }
        return credential.contains("forbidden") ? 403 : nil
    }
}
