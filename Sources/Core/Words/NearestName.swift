/// Finds the name that was probably meant, so that an error message can suggest it.
public enum NearestName {
    /// Returns the candidate that is few edits away from `name`, or nil when none is near enough. An edit adds, drops or changes a letter,
    /// or swaps two neighbours. Case does not count.
    ///
    /// Near enough is a third of the name's length, at least 1 and at most 3. A name over ``longestName`` bytes gets no suggestion, because
    /// the work grows with the product of the lengths and `name` may come from outside.
    public static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.lowercased().utf8)
        guard !wanted.isEmpty, wanted.count <= longestName else { return nil }
        let tolerance = min(3, max(1, wanted.count / 3))
        var best: (distance: Int, name: String)?
        for candidate in candidates {
            let other = Array(candidate.lowercased().utf8)
            guard other.count <= longestName, abs(other.count - wanted.count) <= tolerance else { continue }
            let distance = edits(from: wanted, to: other)
            guard distance <= tolerance else { continue }
            if let known = best, (known.distance, known.name) <= (distance, candidate) { continue }
            best = (distance, candidate)
        }
        return best?.name
    }

    /// A clause to put after an error: `; did you mean "channels"?`, or nothing.
    package static func hint(for name: String, among candidates: some Sequence<String>) -> String {
        of(name, among: candidates).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The longest name that is compared, in bytes. Every name of Tidings is far shorter.
    static let longestName = 200

    /// Optimal string alignment distance.
    private static func edits(from left: [UInt8], to right: [UInt8]) -> Int {
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for i in left.indices {
            var current = [i + 1]
            current.reserveCapacity(right.count + 1)
            for j in right.indices {
                var cost = min(last[j + 1] + 1, current[j] + 1, last[j] + (left[i] == right[j] ? 0 : 1))
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] { cost = min(cost, beforeLast[j - 1] + 1) }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
