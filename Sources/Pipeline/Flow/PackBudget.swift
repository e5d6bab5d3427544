import Synchronization
import TidingsContracts
import TidingsCore

/// The memory of the packs that a process has under way with its providers, all workers together. It weighs packs even after the patience
/// of their batch has ended.
///
/// A ``Line`` is the part of one worker: of one lane of a delivery line. A worker that holds nothing may always take one batch, so a
/// saturated provider stops no other provider. Otherwise room goes to the waiting worker that holds least, and among equals to the worker
/// that waited longest. So packs take at most ``limit`` bytes, and one more batch for each worker.
public final class PackBudget: Sendable {
    /// The bytes of more than 50 full batches, by the estimate of ``Pack/weight``. This is more than a provider's concurrency needs. It is
    /// an eighth of the memory that the unit grants a role.
    public static let limit = 64 << 20

    fileprivate struct Waiter {
        let line: Int
        let bytes: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    fileprivate struct State {
        var lines = 0
        /// The bytes of each worker's line. A line that holds nothing is not in it.
        var held: [Int: Int] = [:]
        var total = 0
        /// The waiters in order of arrival, at most ``PackReceiver/batchesInWork`` of each line.
        var waiting: [Waiter] = []
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: a different value only for tests.
    public init(limit: Int = limit) { self.limit = limit }

    /// A new line. Each worker has one of its own.
    func line() -> Line {
        let number = state.withLock { state in
            state.lines += 1
            return state.lines
        }
        return Line(budget: self, number: number)
    }

    /// The bytes of all packs under way.
    var total: Int { state.withLock(\.total) }

    struct Line: Sendable {
        fileprivate let budget: PackBudget
        fileprivate let number: Int

        /// Waits for room. The share is returned by ``Share/end()``, or when no reference to it is left.
        func reserve(for packs: [Pack]) async -> Share { await reserve(bytes: packs.reduce(0) { $0 + $1.weight }) }

        func reserve(bytes: Int) async -> Share {
            await budget.reserve(bytes, for: number)
            return Share(budget: budget, line: number, bytes: bytes)
        }
    }

    final class Share: Sendable {
        private let budget: PackBudget
        private let line: Int
        private let bytes: Mutex<Int>

        fileprivate init(budget: PackBudget, line: Int, bytes: Int) {
            self.budget = budget
            self.line = line
            self.bytes = Mutex(bytes)
        }

        deinit { end() }

        /// Returns the room. A second call does nothing.
        func end() {
            let rest = bytes.withLock { bytes in
                defer { bytes = 0 }
                return bytes
            }
            if rest > 0 { budget.giveBack(rest, of: line) }
        }
    }

    private func reserve(_ bytes: Int, for line: Int) async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                // A waiter of the same line came first.
                if !state.waiting.contains(where: { $0.line == line }), state.mayReserve(bytes, for: line, limit: limit) {
                    state.add(bytes, to: line)
                    return true
                }
                state.waiting.append(Waiter(line: line, bytes: bytes, continuation: continuation))
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    private func giveBack(_ bytes: Int, of line: Int) {
        let admitted = state.withLock { state in
            state.add(-bytes, to: line)
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let next = state.next(limit: limit) {
                let waiter = state.waiting.remove(at: next)
                state.add(waiter.bytes, to: waiter.line)
                admitted.append(waiter.continuation)
            }
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }
}

extension PackBudget.State {
    fileprivate func mayReserve(_ bytes: Int, for line: Int, limit: Int) -> Bool { held[line] == nil || total + bytes <= limit }

    /// The waiter that is next, if there is room for it. Nil otherwise.
    fileprivate func next(limit: Int) -> Int? {
        // `min` keeps the first of equals, which waited longest.
        guard let next = waiting.indices.min(by: { held[waiting[$0].line, default: 0] < held[waiting[$1].line, default: 0] }),
            mayReserve(waiting[next].bytes, for: waiting[next].line, limit: limit)
        else { return nil }
        return next
    }

    fileprivate mutating func add(_ bytes: Int, to line: Int) {
        total += bytes
        let sum = held[line, default: 0] + bytes
        held[line] = sum > 0 ? sum : nil
    }
}

extension Pack {
    /// The estimated memory of a decoded entry beside its texts: its fields, and the values kept while its delivery is under way.
    private static let bytesPerEntry = 1_024

    /// The estimated memory that the pack takes while its deliveries are under way.
    var weight: Int { entries.reduce(0) { $0 + Self.bytesPerEntry + $1.textBytes } }
}

extension PackEntry {
    fileprivate var textBytes: Int {
        [tenant, recipient, type, data].reduce(0) { $0 + $1.utf8.count }
            + [endpoint, traceparent].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            + Content.Field.allCases.reduce(0) { $0 + (content[$1]?.utf8.count ?? 0) }
    }
}
