import TidingsCore
import Yams

/// Collects problems while a file is read, and remembers on which line each path is.
///
/// The log is a class, because every value of one file reports into the same list. The log never leaves the function that reads the file.
final class ProblemLog {
    private(set) var problems: [CatalogueProblem] = []
    private(set) var gaps = CatalogueGaps()
    private(set) var lines = CatalogueLines()

    func note(line: Int?, of path: String) {
        lines.note(line, of: path)
    }

    /// - Parameter isGap: whether the value at `path` is unknown now. A value that was read as the nearest valid one is no gap.
    func add(_ path: String, _ message: String, isGap: Bool = true) {
        problems.append(CatalogueProblem(path: path, message: message, line: lines.line(of: path)))
        if isGap { gaps.insert(path) }
    }
}

/// One value of a YAML file, which knows its place and reports its problems.
///
/// Every accessor reports a value of the wrong kind and then returns nil.
struct YAMLValue {
    let node: Node
    let path: String
    let log: ProblemLog

    init(_ node: Node, at path: String, _ log: ProblemLog) {
        self.node = node
        self.path = path
        self.log = log
        log.note(line: node.mark?.line, of: path)
    }

    func problem(_ message: String) {
        log.add(path, message)
    }

    /// True for a key with nothing after it, `~` and `null`: the same as leaving the key out.
    var isNull: Bool {
        guard case .scalar(let scalar) = node else { return false }
        return scalar.style == .plain && YAMLScalar(plain: scalar.string) == .null
    }

    /// True for `name: value` lines.
    var isMapping: Bool {
        if case .mapping = node { true } else { false }
    }

    func text() -> String? {
        guard case .scalar(let scalar) = node else {
            problem("must be a text")
            return nil
        }
        guard !scalar.string.utf8.contains(0) else {
            problem("holds a NUL, which PostgreSQL cannot store")
            return nil
        }
        return scalar.string
    }

    /// True for `true` and `false`.
    var isFlag: Bool { plainFlag != nil }

    private var plainFlag: Bool? {
        guard case .scalar(let scalar) = node, scalar.style == .plain, case .bool(let value) = YAMLScalar(plain: scalar.string) else {
            return nil
        }
        return value
    }

    func flag() -> Bool? {
        if let value = plainFlag { return value }
        problem("must be true or false")
        return nil
    }

    func integer() -> Int? {
        if case .scalar(let scalar) = node, scalar.style == .plain, let value = Int(scalar.string) { return value }
        problem("must be a whole number")
        return nil
    }

    func duration() -> Duration? {
        if case .scalar(let scalar) = node, let duration = DurationText.parse(scalar.string) { return duration }
        problem("must be a duration such as 90m, 3d or 1h30m")
        return nil
    }

    /// A word of a closed list. A misspelt word is reported and then read as the nearest word, so that the checks that depend on it go on.
    func word<Word: RawRepresentable & CaseIterable>(_ noun: String) -> Word? where Word.RawValue == String {
        guard let text = text() else { return nil }
        if let word = Word(rawValue: text) { return word }
        let known = Word.allCases.map(\.rawValue)
        let nearest = NearestName.of(text, among: known).flatMap(Word.init(rawValue:))
        log.add(
            path, "unknown \(noun) \"\(text)\"\(NearestName.hint(for: text, among: known)) Known: \(known.joined(separator: ", "))",
            isGap: nearest == nil)
        return nearest
    }

    func list() -> [YAMLValue]? {
        guard case .sequence(let sequence) = node else {
            problem("must be a list, for example [a, b]")
            return nil
        }
        return sequence.enumerated().map { YAMLValue($1, at: "\(path)[\($0)]", log) }
    }

    func texts() -> [String]? {
        list()?.compactMap { $0.text() }
    }

    func channels() -> [Channel]? {
        list()?.compactMap { (value: YAMLValue) -> Channel? in value.word("channel") }
    }

    func section() -> YAMLSection? {
        guard case .mapping(let mapping) = node else {
            problem("must hold \"name: value\" lines")
            return nil
        }
        return YAMLSection(mapping, at: path, log)
    }
}
