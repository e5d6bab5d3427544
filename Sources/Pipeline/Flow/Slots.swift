/// A bounded number of places. A caller that finds none free waits in line.
public actor Slots {
    private var free: Int
    private var line: [CheckedContinuation<Void, Never>] = []

    public init(_ count: Int) {
        precondition(count > 0, "without a place nobody would ever go on")
        free = count
    }

    public func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { line.append($0) }
        }
    }

    public func giveBack() {
        if line.isEmpty {
            free += 1
        } else {
            line.removeFirst().resume()
        }
    }
}
