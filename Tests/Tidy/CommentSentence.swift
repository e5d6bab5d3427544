/// A sentence of a comment. A paragraph, an item of a list and a comment beside code each begin a sentence.
struct CommentSentence: Equatable, Sendable {
    /// The index of the line on which the sentence begins.
    let index: Int
    let text: String

    /// The sentences of a Swift file, or of a SQL file with the texts of `comment on`.
    static func all(in file: SourceFile) -> [CommentSentence] {
        if file.path.hasSuffix(".sql") {
            return paragraphs(of: CommentLine.inSQL(file)).flatMap(sentences(of:))
                + CommentLine.stored(in: file).flatMap { sentences(of: [$0]) }
        }
        return paragraphs(of: CommentLine.inSwift(file)).flatMap(sentences(of:))
    }

    /// Groups lines that are read in one go. Examples between fences are no sentences.
    private static func paragraphs(of lines: [CommentLine]) -> [[CommentLine]] {
        var paragraphs: [[CommentLine]] = []
        var isExample = false
        for line in lines {
            if line.text.hasPrefix("```") {
                isExample.toggle()
            } else if !isExample, !line.text.isEmpty {
                if let last = paragraphs.last?.last, line.continues(last) {
                    paragraphs[paragraphs.count - 1].append(line)
                } else {
                    paragraphs.append([line])
                }
            }
        }
        return paragraphs
    }

    private static func sentences(of paragraph: [CommentLine]) -> [CommentSentence] {
        var sentences: [CommentSentence] = []
        var open: (index: Int, words: [String])?
        for line in paragraph {
            for word in line.words {
                let begun = open ?? (index: line.index, words: [])
                open = (index: begun.index, words: begun.words + [word])
                guard let last = word.last(where: { !closing.contains($0) }), ".!?".contains(last), let whole = open else { continue }
                sentences.append(CommentSentence(index: whole.index, text: whole.words.joined(separator: " ")))
                open = nil
            }
        }
        if let open { sentences.append(CommentSentence(index: open.index, text: open.words.joined(separator: " "))) }
        return sentences
    }

    /// Characters that may stand between the end of a sentence and the next space.
    private static let closing = ")]`\"”’*_"
}

/// The comment on one line of a file, without its marker.
private struct CommentLine {
    let index: Int
    let text: String
    /// False for a comment beside code.
    let isAlone: Bool

    init(index: Int, text: some StringProtocol, isAlone: Bool = true) {
        self.index = index
        self.text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        self.isAlone = isAlone
    }

    /// Whether the line goes on with the paragraph of the line before.
    func continues(_ previous: CommentLine) -> Bool { isAlone && previous.isAlone && index == previous.index + 1 && !isItem }

    private var isItem: Bool {
        guard let first = text.split(separator: " ").first else { return false }
        return first == "-" || first == "*" || (first.last == "." && first.dropLast().allSatisfy(\.isNumber))
    }

    /// The words. An item of a list begins after its marker and its label, such as `- Throws:`, and with a capital letter.
    var words: [String] {
        var words = text.split(separator: " ").map(String.init)
        guard isItem else { return words }
        words.removeFirst()
        if words.first == "Parameter", words.count > 1, words[1].hasSuffix(":") { words.removeFirst() }
        if words.first?.hasSuffix(":") == true { words.removeFirst() }
        if let first = words.first { words[0] = first.prefix(1).uppercased() + first.dropFirst() }
        return words
    }

    static func inSwift(_ file: SourceFile) -> [CommentLine] {
        var found: [CommentLine] = []
        var isLiteral = false
        for (index, line) in file.lines.enumerated() {
            let text = line.trimmingPrefix(while: \.isWhitespace)
            if !isLiteral, text.hasPrefix("//") {
                found.append(CommentLine(index: index, text: text.drop(while: { $0 == "/" })))
            } else if line.contains("\"\"\"") {
                // An even number of pieces has an odd number of quotes between them: a literal begins or ends here.
                if line.split(separator: "\"\"\"", omittingEmptySubsequences: false).count.isMultiple(of: 2) { isLiteral.toggle() }
            } else if !isLiteral, let comment = besideCode(line) {
                found.append(CommentLine(index: index, text: comment.drop(while: { $0 == "/" }), isAlone: false))
            }
        }
        return found
    }

    /// Returns the line from the first `//` outside of a literal. Returns nil if there is none.
    private static func besideCode(_ line: String) -> Substring? {
        guard line.contains("//") else { return nil }
        var (isQuoted, isEscaped) = (false, false)
        for position in line.indices {
            if isEscaped {
                isEscaped = false
            } else if line[position] == "\"" {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = line[position] == "\\"
            } else if line[position] == "/", line[position...].hasPrefix("//") {
                return line[position...]
            }
        }
        return nil
    }

    static func inSQL(_ file: SourceFile) -> [CommentLine] {
        var found: [CommentLine] = []
        var isQuoted = false
        for (index, line) in file.lines.enumerated() {
            for position in line.indices {
                if line[position] == "'" { isQuoted.toggle() }
                guard !isQuoted, line[position] == "-", line[position...].hasPrefix("--") else { continue }
                let isAlone = line[..<position].allSatisfy(\.isWhitespace)
                found.append(CommentLine(index: index, text: line[position...].drop(while: { $0 == "-" }), isAlone: isAlone))
                break
            }
        }
        return found
    }

    /// The texts that `comment on` stores in the database, each at the line of its statement.
    static func stored(in file: SourceFile) -> [CommentLine] {
        let text = file.lines.joined(separator: "\n")
        let statement = #/comment on [^;']* is\s+'((?:[^']|'')*)'/#.ignoresCase()
        var found: [CommentLine] = []
        var (index, counted) = (0, text.startIndex)
        for match in text.matches(of: statement) {
            index += text[counted..<match.range.lowerBound].count { $0 == "\n" }
            counted = match.range.lowerBound
            found.append(CommentLine(index: index, text: match.output.1))
        }
        return found
    }
}
