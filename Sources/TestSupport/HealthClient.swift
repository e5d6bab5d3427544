/// Asks a role for its metrics and health, as Prometheus or a supervisor would.
public struct HealthClient: Sendable {
    /// The variables that give each process a free port, so that a test can start any number of processes.
    public static let variables = ["TIDINGS_METRICS_LISTEN": "127.0.0.1:0"]

    /// The address that the process listens on, such as `127.0.0.1:41873`.
    public let address: String
    private let client: LoopbackClient

    /// Waits until the process reports its address.
    public init(of process: TestProcess) async throws {
        client = try LoopbackClient()
        let deadline = ContinuousClock.now + .seconds(30).patient
        while ContinuousClock.now < deadline, process.isRunning {
            if let found = Self.address(in: process.errorsSoFar) {
                address = found
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TestSystemError(message: "no metrics: \(process.errorsSoFar)")
    }

    public func ask(_ path: String, method: String = "GET") async throws -> (status: Int, type: String, text: String) {
        try await client.ask("http://\(address)\(path)", method: method)
    }

    private static func address(in log: String) -> String? {
        guard let line = log.split(separator: "\n").first(where: { $0.contains("metrics and health") }),
            let start = line.firstRange(of: "127.0.0.1:")
        else { return nil }
        return "127.0.0.1:" + line[start.upperBound...].prefix { $0.isNumber }
    }
}
