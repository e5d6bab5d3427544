public import Testing

/// A bar that measures the product: a rate, a time or memory.
///
/// A slow machine misses a bar without a fault of the product. The test then ends as skipped, with the missed figures as the reason.
///
///     var bar = Bar()
///     try await withTestSystem { system in bar.expect(rate >= 500, "\(rate) intents/s, the bar is 500") }
///     try bar.end()
///
/// - Important: ``end()`` cancels the task of the test. Call it after every `with…` function has returned, because a cancelled task may
///   stop no servers.
public struct Bar: Sendable {
    private var missing: [String] = []

    public init() {}

    /// Fails the test if the bar is missed. If the machine is too slow to judge, ``end()`` ends the test as skipped instead.
    ///
    /// - Parameter figure: the measured figure and the bar, as words.
    public mutating func expect(
        _ isMet: Bool, _ figure: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard !isMet else { return }
        let words = figure()
        if Patience.factor > Patience.judgedFactor {
            missing.append(words)
        } else {
            Issue.record("\(words)", sourceLocation: sourceLocation)
        }
    }

    /// Ends the test as skipped if a bar was missed and not judged. Call it once, as the last statement of the test.
    public func end() throws {
        guard !missing.isEmpty else { return }
        // A cancelled case of a test with arguments tells no reason. `deploy/test` reads the warning.
        Issue.record("not judged on this machine: \(missing.joined(separator: "; "))", severity: .warning)
        try Test.cancel("the machine is too slow to judge a bar")
    }
}
