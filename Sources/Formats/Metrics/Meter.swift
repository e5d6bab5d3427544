import Synchronization

/// One series of a metric. Recording is an atomic addition: no lock, no allocation, from any thread.
public protocol Meter: Sendable {
    /// The type as the line `# TYPE` spells it.
    static var type: String { get }

    /// Starts at zero.
    init()

    /// Appends the lines of this series. `labels` are its own.
    func append(to text: inout ExpositionText, name: String, labels: [Label])
}

/// A number that only grows, from 0 at the start of the process.
public final class Counter: Meter {
    public static let type = "counter"

    private let count = Atomic<Int>(0)

    public init() {}

    public func add(_ amount: Int = 1) { count.wrappingAdd(amount, ordering: .relaxed) }

    public var value: Int { count.load(ordering: .relaxed) }

    public func append(to text: inout ExpositionText, name: String, labels: [Label]) {
        text.sample(name, labels, String(value))
    }
}

/// A number that goes up and down.
public final class Gauge: Meter {
    public static let type = "gauge"

    private let level = Atomic<Int>(0)

    public init() {}

    public func set(_ value: Int) { level.store(value, ordering: .relaxed) }

    public func add(_ amount: Int) { level.wrappingAdd(amount, ordering: .relaxed) }

    public var value: Int { level.load(ordering: .relaxed) }

    public func append(to text: inout ExpositionText, name: String, labels: [Label]) {
        text.sample(name, labels, String(value))
    }
}
