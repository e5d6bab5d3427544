import TidingsServer

/// Compares two texts line by line, in the form of `diff -u`.
enum UnifiedDifference {
    /// Unchanged lines that are shown around a change.
    private static let context = 3
    /// The most lines of each side that are compared. The work grows with the number of lines times the number of changes.
    /// Beyond the limit, all old lines are shown as removed and all new lines as added.
    private static let mostCompared = 5_000

    private enum Line { case kept(Substring), removed(Substring), added(Substring) }

    /// Returns the lines of the difference, none if the texts are equal. After `@@`, each part names the YAML keys above it.
    static func lines(from old: String, _ oldName: String, to new: String, _ newName: String) -> [String] {
        if old == new { return [] }
        let merged = merge(
            old.split(separator: "\n", omittingEmptySubsequences: false), new.split(separator: "\n", omittingEmptySubsequences: false))
        let isChange = merged.map { if case .kept = $0 { false } else { true } }
        var result = ["--- \(oldName)", "+++ \(newName)"]
        var next = 0
        while let first = isChange[next...].firstIndex(of: true) {
            let start = max(next, first - context)
            var end = first
            // A further change whose context would touch this one belongs to the same part.
            while let following = isChange[end...].prefix(2 * context + 1).lastIndex(of: true), following >= end { end = following + 1 }
            end = min(merged.count, end + context)
            result += part(of: merged, start..<end)
            next = end
        }
        return result
    }

    /// Every line of both texts, in order.
    private static func merge(_ old: [Substring], _ new: [Substring]) -> [Line] {
        let prefix = zip(old, new).prefix { $0 == $1 }.count
        let suffix = zip(old.dropFirst(prefix).reversed(), new.dropFirst(prefix).reversed()).prefix { $0 == $1 }.count
        let (before, after) = (Array(old.dropFirst(prefix).dropLast(suffix)), Array(new.dropFirst(prefix).dropLast(suffix)))
        let middle: [Line] =
            max(before.count, after.count) > mostCompared
            ? before.map(Line.removed) + after.map(Line.added) : compare(before, after)
        return old.prefix(prefix).map(Line.kept) + middle + old.suffix(suffix).map(Line.kept)
    }

    private static func compare(_ old: [Substring], _ new: [Substring]) -> [Line] {
        let difference = new.difference(from: old)
        var (removed, added): (Set<Int>, Set<Int>) = ([], [])
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [Line] = []
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, removed.contains(i) {
                lines.append(.removed(old[i]))
                i += 1
            } else if j < new.count, added.contains(j) {
                lines.append(.added(new[j]))
                j += 1
            } else {
                lines.append(.kept(old[i]))
                (i, j) = (i + 1, j + 1)
            }
        }
        return lines
    }

    private static func part(of lines: [Line], _ range: Range<Int>) -> [String] {
        var (old, new) = (0, 0)
        var (oldBefore, newBefore) = (0, 0)
        for (index, line) in lines[..<range.upperBound].enumerated() {
            let isInside = range.contains(index)
            if case .added = line {} else { isInside ? (old += 1) : (oldBefore += 1) }
            if case .removed = line {} else { isInside ? (new += 1) : (newBefore += 1) }
        }
        let keys = keys(above: range.lowerBound, in: lines)
        let head = "@@ -\(old == 0 ? oldBefore : oldBefore + 1),\(old) +\(new == 0 ? newBefore : newBefore + 1),\(new) @@"
        return [keys.isEmpty ? head : "\(head) \(keys)"]
            + lines[range].map { line in
                switch line {
                case .kept(let text): " \(text)"
                case .removed(let text): "-\(text)"
                case .added(let text): "+\(text)"
                }
            }
    }

    /// The YAML keys above a line, such as `types > orderUpdate`.
    private static func keys(above index: Int, in lines: [Line]) -> String {
        guard lines.indices.contains(index) else { return "" }
        var keys: [Substring] = []
        var depth = indentation(of: text(of: lines[index]))
        for line in lines[..<index].reversed() where depth > 0 {
            // Skip removed and added lines: only a line of both texts shows the place in both.
            guard case .kept(let text) = line else { continue }
            let own = indentation(of: text)
            let key = text.dropFirst(own)
            guard own < depth, !key.isEmpty, !key.hasPrefix("#") else { continue }
            keys.insert(key.prefix { $0 != ":" }, at: 0)
            depth = own
        }
        return keys.joined(separator: " > ")
    }

    private static func text(of line: Line) -> Substring {
        switch line {
        case .kept(let text), .removed(let text), .added(let text): text
        }
    }

    private static func indentation(of line: Substring) -> Int { line.prefix { $0 == " " }.count }
}
