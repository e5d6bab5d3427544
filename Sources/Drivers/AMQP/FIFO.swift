/// A first-in-first-out queue. Append and removal take constant time on average, and memory is in proportion to the contents.
struct FIFO<Element> {
    private var storage: [Element] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { head == storage.count }
    var first: Element? { isEmpty ? nil : storage[head] }

    mutating func append(_ element: Element) { storage.append(element) }

    mutating func append(contentsOf elements: some Sequence<Element>) { storage.append(contentsOf: elements) }

    /// Inserts `elements`, in their order, before all others.
    mutating func prepend(_ elements: [Element]) {
        storage.replaceSubrange(0..<head, with: elements)
        head = 0
    }

    mutating func popFirst() -> Element? {
        guard let element = first else { return nil }
        head += 1
        // Move the rest only when half of the storage is used up. This costs constant time per element over its life.
        if head == storage.count {
            storage.removeAll(keepingCapacity: head <= 4096)
            head = 0
        } else if head >= 64 && head * 2 >= storage.count {
            storage.removeSubrange(0..<head)
            head = 0
        }
        return element
    }

    mutating func removeAll() -> [Element] {
        let all = Array(storage[head...])
        storage = []
        head = 0
        return all
    }

    /// Removes and returns the elements for which `isWanted` is true. The remaining elements keep their order.
    mutating func removeAll(where isWanted: (Element) -> Bool) -> [Element] {
        let all = removeAll()
        storage = all.filter { !isWanted($0) }
        return all.filter(isWanted)
    }
}
