import Glibc

/// A program that runs beside the private servers. The program ends when this process ends, for whatever reason. Ctrl-C in the terminal
/// does not reach the program.
public final class PrivateProgram: Sendable {
    private let child: ChildProcess

    private init(_ child: ChildProcess) { self.child = child }

    /// - Parameters:
    ///   - environment: the whole environment of the program. The environment of this process is not passed on.
    ///   - log: file for the standard output and error, emptied first.
    public static func start(
        _ executable: String, _ arguments: [String] = [], environment: [String: String], log: String
    ) async throws(PrivateServersError) -> PrivateProgram {
        try await OwnThread.run { () throws(PrivateServersError) in
            PrivateProgram(try ChildProcess.start(command(executable, arguments, environment), log: log))
        }
    }

    /// Runs a program to its end and returns its standard output.
    /// - Throws: ``PrivateServersError/commandFailed(command:status:output:)`` unless it exits with 0 within `limit`.
    public static func output(
        of executable: String, _ arguments: [String] = [], environment: [String: String], within limit: Duration
    ) async throws(PrivateServersError) -> String {
        try await OwnThread.run { () throws(PrivateServersError) in
            try command(executable, arguments, environment).succeed(within: limit)
        }
    }

    public var processID: Int32 { child.processID }

    /// Sends SIGTERM, kills the program after `patience`, and returns when it has ended.
    public func stop(patience: Duration) async {
        let child = child
        _ = await OwnThread.result { () throws(PrivateServersError) in child.end(with: SIGTERM, patience: patience) }
    }

    private static func command(
        _ executable: String, _ arguments: [String], _ environment: [String: String]
    ) throws(PrivateServersError) -> ChildCommand {
        ChildCommand(executable: executable, arguments: arguments, environment: environment, wrappers: try .find(in: .ofThisMachine()))
    }
}
