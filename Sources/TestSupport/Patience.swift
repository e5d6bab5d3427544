import Foundation

/// The time that tests wait before they fail.
///
/// Machines differ in speed, and their neighbours take processor time. `deploy/test` measures the machine at its start, and exports the
/// result as `TIDINGS_TEST_PATIENCE`.
public enum Patience {
    /// The factor by which this machine is slower than an idle one: 1 to 6. Without the variable: 1.
    public static let factor: Double = {
        let told = ProcessInfo.processInfo.environment["TIDINGS_TEST_PATIENCE"].flatMap { Double($0) } ?? 1
        return min(max(told, 1), 6)
    }()

    /// Above this factor a missed bar says more about the machine than about the product.
    static let judgedFactor = 2.0

    /// A limit of waiting as a whole number, such as the minutes of `.timeLimit`, for the speed of this machine. Rounds up.
    public static func scaled(_ limit: Int) -> Int { Int((Double(limit) * factor).rounded(.up)) }
}

extension Duration {
    /// This limit of waiting, for the speed of this machine. A helper that multiplies takes limits for an idle machine, so that no limit is
    /// multiplied twice. A bar that measures the product needs ``Bar`` instead.
    public var patient: Duration { self * Patience.factor }
}
