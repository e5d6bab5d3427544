import TidingsAMQP
import TidingsPostgres
import TidingsStore

/// The reason why a command fails: one line, a hint, and an exit code of sysexits.
public struct Failure: Error, Sendable {
    public enum Code: Int32, Sendable {
        /// The command ran, and its answer is bad: not found, unhealthy, a failed delivery.
        case bad = 1
        case usage = 64
        /// The input is wrong.
        case data = 65
        /// The broker or the database cannot be reached.
        case unavailable = 69
        /// Standard output could not be written. The command's changes stay.
        case outputLost = 74
        case timedOut = 75
        case notPermitted = 77
        case config = 78
    }

    public let code: Code
    public let message: String
    public let hint: String?

    public init(_ code: Code, _ message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }

    /// Turns any error into a failure.
    package init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case StoreError.clockSkew:
            // Not the code of a wrong configuration: a supervisor would not start the role again, but the skew passes when both clocks are
            // set.
            self.init(.timedOut, "\(error)", hint: "are both machines synchronised? see timedatectl")
        case StoreError.tableInUse: self.init(.timedOut, "\(error)")
        case StoreError.mayNotCreateSchemas(let statements):
            self.init(.notPermitted, "\(error)", hint: "an administrator of PostgreSQL runs: \(statements.joined(separator: " "))")
        case StoreError.unsuitableServer(let faults):
            self.init(.config, "\(error)", hint: faults.map(\.whatToDo).joined(separator: " "))
        case let error as StoreError: self.init(.config, "\(error)")
        case let error as RecipientErased:
            self.init(.bad, "\(error)", hint: "tidings recipient readmit lets Tidings store the person again")
        case let error as AMQPError: self.init(broker: error)
        case let error as PostgresError: self.init(database: error)
        default: self.init(.bad, "\(error)")
        }
    }
}
