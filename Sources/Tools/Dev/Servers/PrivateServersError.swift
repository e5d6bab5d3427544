/// The reason why private servers could not be started, stopped or commanded.
///
/// The description is one line that says what to do. For a server that did not start, the end of its log follows. The description never
/// contains a password.
public enum PrivateServersError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A program is not installed, or is not in the searched folders. `package` is the Debian package with the program.
    case missingTool(name: String, package: String, searched: [String])
    /// This process is root, PostgreSQL refuses to run as root, and the user to run it as is missing.
    case missingUser(name: String, package: String)
    /// Another process runs servers in this home. `processID` is its id, if the id could be read.
    case homeInUse(home: String, processID: Int32?)
    /// A file or folder could not be read, written or handed to user `postgres`.
    case cannotUse(path: String, reason: String)
    /// The operating system refused something that has no path: a thread, a process, a socket.
    case system(call: String, reason: String)
    /// The data in `folder` was made by a PostgreSQL version that is not installed.
    case versionMissing(version: String, folder: String)
    /// A server ended, or did not answer before its deadline.
    case didNotStart(server: String, reason: String, log: String, lastLines: String)
    /// A tool exited with `status`, or ran past its deadline (`nil`). If a signal killed the tool, `status` is 128 + the number of the
    /// signal.
    case commandFailed(command: String, status: Int32?, output: String)
    /// A name is empty or contains another character than ASCII letters, digits, `-`, `_` and `.`.
    case badName(String)
    /// These processes survived even `SIGKILL` for some seconds. The usual cause is a stuck disk.
    case didNotStop(processIDs: [Int32])
    /// The task was cancelled while starting. Every started process was stopped again.
    case cancelled

    public var description: String {
        switch self {
        case .missingTool(let name, let package, let searched):
            "\(name) was not found in \(searched.joined(separator: ":")). Run deploy/install, or: sudo apt-get install \(package)"
        case .missingUser(let name, let package):
            "PostgreSQL must not run as root, and user \(name) does not exist. Run deploy/install, or: sudo apt-get install \(package)"
        case .homeInUse(let home, let processID):
            "\(home) is in use by \(processID.map { "process \($0)" } ?? "another process"). Stop that one, or choose another home."
        case .cannotUse(let path, let reason):
            "cannot use \(path): \(reason)"
        case .system(let call, let reason):
            "\(call) failed: \(reason)"
        case .versionMissing(let version, let folder):
            "the data in \(folder) needs PostgreSQL \(version). Install postgresql-\(version), or start with --fresh to delete that data."
        case .didNotStart(let server, let reason, let log, let lastLines):
            "\(server) did not start: \(reason). Its log is \(log)" + (lastLines.isEmpty ? "" : " and ends with:\n\(lastLines)")
        case .commandFailed(let command, let status, let output):
            "\(command) " + (status.map { "failed with status \($0)" } ?? "did not finish in time") + (output.isEmpty ? "" : ": \(output)")
        case .badName(let name):
            "\"\(name)\" is not a usable name: use ASCII letters, digits, '-', '_' and '.'"
        case .didNotStop(let processIDs):
            "processes \(processIDs.map(String.init).joined(separator: ", ")) did not end, not even when killed"
        case .cancelled:
            "interrupted while starting; nothing was left running"
        }
    }
}
