/// A regular expression in the sense of JSON Schema: ECMA-262 with the `u` flag, unanchored, over Unicode code points.
///
/// For every text the time is proportional to text × pattern, because matching follows all possibilities at once and never backtracks. A
/// pattern such as `(a+)+$`, which takes a backtracking engine forever, is harmless here. Features that need backtracking (look-around,
/// back references) are refused. A compiled pattern is a plain value, so any thread may use it.
struct Pattern: Sendable {
    /// The expression as written.
    let source: String
    private let program: [PatternInstruction]
    private let isAnchored: Bool

    init(_ source: String) throws(PatternError) {
        self.source = source
        var parser = PatternParser(source)
        let tree = try parser.pattern()
        var compiler = PatternCompiler()
        try compiler.emit(tree)
        compiler.finish()
        program = compiler.program
        isAnchored = tree.beginsAtStart
    }

    /// Whether the expression matches anywhere in `text`.
    func matches(_ text: String) -> Bool {
        var threads = PatternThreads(program: program)
        var scalars = text.unicodeScalars.makeIterator()
        var previous: UInt32?
        var next = scalars.next()?.value
        while true {
            if previous == nil || !isAnchored { threads.start(0) }
            if threads.settle(previous: previous, next: next) { return true }
            guard let current = next, !(isAnchored && threads.isEmpty) else { return false }
            threads.consume(current)
            previous = current
            next = scalars.next()?.value
        }
    }
}

/// The error for an expression that cannot be used.
struct PatternError: Error, Sendable, Hashable {
    let message: String

    init(_ message: String) { self.message = message }
}

/// One step of a compiled expression.
enum PatternInstruction: Sendable {
    case scalar(UInt32)
    case set(ScalarSet)
    case split(Int, Int)
    case jump(Int)
    case start
    case end
    case boundary(Bool)
    case match
}

/// All places in the program that the text so far can have reached.
private struct PatternThreads {
    let program: [PatternInstruction]
    /// Places to settle at the present position, then the places that wait for the next scalar.
    private var waiting: [Int] = []
    private var consuming: [Int] = []
    /// The position at which each place was last visited. Each place is visited only once a position.
    private var visited: [Int]
    private var position = 0

    init(program: [PatternInstruction]) {
        self.program = program
        visited = Array(repeating: -1, count: program.count)
    }

    var isEmpty: Bool { consuming.isEmpty }

    mutating func start(_ place: Int) { waiting.append(place) }

    /// Follows every instruction that needs no input. Returns true when the expression has matched.
    mutating func settle(previous: UInt32?, next: UInt32?) -> Bool {
        consuming.removeAll(keepingCapacity: true)
        while let place = waiting.popLast() {
            guard visited[place] != position else { continue }
            visited[place] = position
            switch program[place] {
            case .match: return true
            case .scalar, .set: consuming.append(place)
            case .jump(let target): waiting.append(target)
            case .split(let first, let second):
                waiting.append(second)
                waiting.append(first)
            case .start: if previous == nil { waiting.append(place + 1) }
            case .end: if next == nil { waiting.append(place + 1) }
            case .boundary(let wanted):
                if (ScalarSet.isWord(previous) != ScalarSet.isWord(next)) == wanted { waiting.append(place + 1) }
            }
        }
        return false
    }

    mutating func consume(_ scalar: UInt32) {
        position += 1
        for place in consuming {
            switch program[place] {
            case .scalar(let wanted): if wanted == scalar { waiting.append(place + 1) }
            case .set(let set): if set.contains(scalar) { waiting.append(place + 1) }
            default: break
            }
        }
    }
}
