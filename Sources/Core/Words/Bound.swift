/// A limit, a batch size or a time of the binary, with its reason in one sentence. The value is read from the constant itself.
///
/// Each target declares the bounds of its own constants. `tidings config show` prints them.
package struct Bound: Sendable {
    /// The constant's own name, as the source has it.
    package let name: String
    package let value: Int
    /// The unit of the value: `bytes`, `packs`, … Times are in ``milliseconds``.
    package let unit: String
    package let why: String

    package init(_ name: String, _ value: Int, _ unit: String, _ why: String) {
        self.name = name
        self.value = value
        self.unit = unit
        self.why = why
    }

    package init(_ name: String, _ value: Duration, _ why: String) {
        self.init(name, Int(value / .milliseconds(1)), Self.milliseconds, why)
    }

    /// The unit of each time.
    package static let milliseconds = "milliseconds"
}
