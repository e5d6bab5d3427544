import Testing

/// `tidings config show` prints the bounds that `Bounds.swift`, the modules and `APIBounds.swift` declare, each read from its own constant.
@Suite struct BoundTests {
    /// The name is the constant's, and the number is read from it.
    @Test(arguments: [("Sources/Runtime/Settings/Bounds.swift", 60), ("Sources/Interfaces/API/APIBounds.swift", 25)])
    func noNumberIsWrittenTwice(path: String, expected: Int) throws {
        #expect(Self.entries(of: try Repository.file(path)) > expected, "the entries are not recognised any more")
    }

    @Test func noNumberOfAModuleIsWrittenTwice() throws {
        let counts = try Repository.files(below: "Sources/Modules").map { Self.entries(of: $0) }
        #expect(counts.reduce(0, +) >= 4, "the entries are not recognised any more")
    }

    /// Counts the entries of a file, and expects of each that its number is read from its constant.
    private static func entries(of file: SourceFile) -> Int {
        let short = [
            "IntentLimits.": "limits.", "JSONLimits.": "json.", "RetryPolicy.standard.": "retry.", "Breaker.Policy.standard.": "breaker.",
            "HTTPServerLimits.": "http.",
        ]
        // The names of the two ends of a range have the word by which the entries are separated.
        let text = file.code.map { $0.text.trimmingPrefix(while: \.isWhitespace) }.joined(separator: " ").replacing("( ", with: "(")
            .replacing("lowerBound", with: "lowest").replacing("upperBound", with: "highest")
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
        return count
    }
}
