import Testing

/// `tidings config show` prints the bounds that `Bounds.swift` declares, each read from its own constant.
@Suite struct BoundTests {
    /// The name is the constant's, and the number is read from it.
    @Test func noNumberIsWrittenTwice() throws {
        let lines = try Repository.files(below: "Sources/Apps/Server/Settings").first { $0.path.hasSuffix("/Bounds.swift") }?.code ?? []
        try #require(!lines.isEmpty)
        let short = [
            "IntentLimits.": "limits.", "JSONLimits.": "json.", "RetryPolicy.standard.": "retry.", "Breaker.Policy.standard.": "breaker.",
        ]
        let text = lines.map { $0.text.trimmingPrefix(while: \.isWhitespace) }.joined(separator: " ").replacing("( ", with: "(")
        var count = 0
        for entry in text.split(separator: "Bound").dropFirst() {
            guard let quoted = entry.split(separator: "\"").dropFirst().first, let call = entry.firstRange(of: "\"\(quoted)\", ") else {
                continue
            }
            count += 1
            let name = String(quoted)
            let prefix = short.keys.first { name.hasPrefix($0) }
            let expression = prefix.map { short[$0, default: ""] + name.dropFirst($0.count) } ?? name
            let rest = entry[call.upperBound...]
            let forms = ["\(expression),", ".seconds(\(expression)),", "Int(\(expression)),"]
            #expect(forms.contains { rest.hasPrefix($0) }, "\(name) is not read from \(expression): \(rest.prefix(60))")
        }
        #expect(count > 60, "the entries are not recognised any more")
    }
}
