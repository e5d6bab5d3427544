/// Things that wait in a line for each owner. A batch has about as much of each owner as of any other, so an owner with much work does not
/// delay the owners with little. The things of one owner keep their order.
struct OwnerLines<Element> {
    private struct Line {
        let owner: String
        var waiting: [(element: Element, size: Int)]
        /// The things before this one are taken.
        var next = 0
        /// The size of what the present batch has of the owner.
        var taken = 0
    }

    /// Owners with waiting things. The owner that has waited longest for a batch is first.
    private var lines: [Line] = []
    /// The things that wait.
    private(set) var count = 0

    mutating func append(_ element: Element, of size: Int, for owner: String) {
        count += 1
        if let line = lines.firstIndex(where: { $0.owner == owner }) {
            lines[line].waiting.append((element, size))
        } else {
            lines.append(Line(owner: owner, waiting: [(element, size)]))
        }
    }

    /// Dequeues a batch. Each thing is the next of the owner that has the least of the batch so far.
    ///
    /// - Parameter largest: the size after which nothing more is taken. The last thing may exceed it.
    mutating func dequeueBatch(upTo largest: Int) -> [Element] {
        var batch: [Element] = []
        var size = 0
        while size < largest, let line = lineWithLeast() {
            let (element, its) = lines[line].waiting[lines[line].next]
            lines[line].next += 1
            lines[line].taken += its
            size += its
            batch.append(element)
        }
        count -= batch.count
        let (served, others) = (lines.filter { $0.next > 0 }, lines.filter { $0.next == 0 })
        let rest = served.filter { $0.next < $0.waiting.count }.map { Line(owner: $0.owner, waiting: Array($0.waiting[$0.next...])) }
        lines = others + rest
        return batch
    }

    /// The line of the owner that has the least of the present batch, among those with things that wait. Nil if nothing waits.
    private func lineWithLeast() -> Int? {
        var found: Int?
        for (index, line) in lines.enumerated() where line.next < line.waiting.count {
            if found.map({ line.taken < lines[$0].taken }) ?? true { found = index }
        }
        return found
    }
}
