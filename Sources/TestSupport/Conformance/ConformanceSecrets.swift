import Foundation

/// The secrets that a provider must not reveal: the secrets of its subject, and the credentials in the requests to its service.
struct ConformanceSecrets: Sendable {
    /// In characters: the shortest line of a longer secret, and the shortest credential, that are searched for. Shorter ones prove nothing.
    private static let shortestPart = 16
    /// The fewest different characters in a line of a longer secret. A line that repeats a few characters is a frame or padding.
    private static let leastVariety = 8

    private(set) var all: [String: String] = [:]

    /// Stores the secrets. A secret of several lines, such as a key in PEM form, is searched for line by line.
    init(named secrets: [String]) {
        for (number, secret) in secrets.enumerated() {
            let lines = secret.split(whereSeparator: \.isNewline)
            for line in lines where lines.count == 1 || Self.isTelling(line) { all[String(line)] = "secret \(number)" }
        }
    }

    private static func isTelling(_ line: Substring) -> Bool {
        line.count >= shortestPart && !line.hasPrefix("-----") && Set(line).count >= leastVariety
    }

    /// Stores the words of the `authorization` header and every JSON Web Token. A token may also come in a form.
    mutating func note(_ request: ConformanceRequest) {
        // Compare bytes: a body may have hundreds of kilobytes, and its sender waits for the answer.
        let breaks = Set(" ,=&\"".utf8)
        func words(of bytes: [UInt8]) -> [ArraySlice<UInt8>] { bytes.split(whereSeparator: breaks.contains) }
        let authorization = words(of: Array(request.headers["authorization", default: ""].utf8))
        for word in authorization where word.count >= Self.shortestPart { all[String(decoding: word, as: UTF8.self)] = "a credential" }
        let texts = request.headers.values.map { Array($0.utf8) } + [request.body]
        for word in texts.flatMap(words) where word.starts(with: "eyJ".utf8) && word.count >= 2 * Self.shortestPart {
            all[String(decoding: word, as: UTF8.self)] = "a token"
        }
    }

    /// Returns the names of the secrets in a text. A secret is found whole or by its first half, in upper or lower case, percent-encoded or
    /// not.
    func found(in text: String) -> Set<String> {
        let forms = [text, text.removingPercentEncoding ?? "", text.replacing("\\/", with: "/")].map { $0.lowercased() }
        var found: Set<String> = []
        for (secret, name) in all {
            let half = secret.count < 2 * Self.shortestPart ? secret[...] : secret.prefix(secret.count / 2)
            if forms.contains(where: { $0.contains(half.lowercased()) }) { found.insert(name) }
        }
        return found
    }
}
