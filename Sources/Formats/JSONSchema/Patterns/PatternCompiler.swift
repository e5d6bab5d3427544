/// The syntax tree of an expression.
indirect enum PatternTree {
    case empty
    case scalar(UInt32)
    case set(ScalarSet)
    case start
    case end
    case boundary(Bool)
    case sequence([PatternTree])
    case choice([PatternTree])
    /// A `most` of nil means no upper limit.
    case repetition(PatternTree, least: Int, most: Int?)

    /// Whether the expression can match only at the beginning of the text.
    var beginsAtStart: Bool {
        switch self {
        case .start: true
        case .sequence(let parts): parts.first?.beginsAtStart ?? false
        case .choice(let parts): parts.allSatisfy(\.beginsAtStart)
        default: false
        }
    }
}

/// Turns an expression into instructions. Repetitions are written out, so the size of the program bounds their counts.
struct PatternCompiler {
    private(set) var program: [PatternInstruction] = []
    private var work = 0

    /// The most instructions of one expression. Matching costs at most this many steps a character. `^[a-z]{1,1000}$` fits.
    private static let maximumSize = 4_096

    mutating func finish() { program.append(.match) }

    mutating func emit(_ tree: PatternTree) throws(PatternError) {
        // Count visits and not only instructions, because a repetition of nothing adds no instruction, however large its count.
        work += 1
        guard work <= 4 * Self.maximumSize, program.count <= Self.maximumSize else {
            throw PatternError("is too large once its repetitions are written out")
        }
        switch tree {
        case .empty: break
        case .scalar(let value): program.append(.scalar(value))
        case .set(let set): program.append(.set(set))
        case .start: program.append(.start)
        case .end: program.append(.end)
        case .boundary(let wanted): program.append(.boundary(wanted))
        case .sequence(let parts): for part in parts { try emit(part) }
        case .choice(let parts): try emit(choice: parts[...])
        case .repetition(let part, let least, let most): try emit(part, least: least, most: most)
        }
    }

    private mutating func emit(choice parts: ArraySlice<PatternTree>) throws(PatternError) {
        var ends: [Int] = []
        for (place, part) in parts.enumerated() {
            guard place < parts.count - 1 else {
                try emit(part)
                break
            }
            let split = program.count
            program.append(.split(split + 1, 0))
            try emit(part)
            ends.append(program.count)
            program.append(.jump(0))
            program[split] = .split(split + 1, program.count)
        }
        for end in ends { program[end] = .jump(program.count) }
    }

    private mutating func emit(_ part: PatternTree, least: Int, most: Int?) throws(PatternError) {
        for _ in 0..<least { try emit(part) }
        guard let most else {
            let split = program.count
            program.append(.split(split + 1, 0))
            try emit(part)
            program.append(.jump(split))
            program[split] = .split(split + 1, program.count)
            return
        }
        var splits: [Int] = []
        for _ in least..<max(least, most) {
            splits.append(program.count)
            program.append(.split(program.count + 1, 0))
            try emit(part)
        }
        for split in splits { program[split] = .split(split + 1, program.count) }
    }
}
