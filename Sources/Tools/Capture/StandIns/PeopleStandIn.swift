/// The common part of the stand-ins for platforms that know people and keep their devices themselves.
extension StandInAnswer {
    /// The most bytes of an id.
    private static let longestMessageID = 512

    /// Returns the id of a request: its people and its notification. If the id is too long, the list of people is cut, and the notification
    /// stays.
    static func messageID(people: [String], what: String) -> String {
        let what = cut(what, to: longestMessageID / 2)
        return cut(people.joined(separator: ","), to: longestMessageID - 1 - what.utf8.count) + " " + what
    }

    /// Returns at most `count` bytes that end with a whole character.
    private static func cut(_ text: String, to count: Int) -> String {
        var end = text.utf8.index(text.startIndex, offsetBy: count, limitedBy: text.endIndex) ?? text.endIndex
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }

    /// Returns the status for a credential that the real provider would not know (401) or would not authorise (403); nil for every other
    /// credential.
    static func refusal(ofCredential credential: String) -> Int? {
        if credential.isEmpty || credential.contains("wrong") { return 401 }
        return credential.contains("forbidden") ? 403 : nil
    }
}
