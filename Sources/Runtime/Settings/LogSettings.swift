package import Logging

/// The log settings of a process, from `TIDINGS_LOG` (the least severe level that is shown, notice by default) and `TIDINGS_LOG_FORMAT`.
package struct LogSettings: Sendable {
    package var level = Logger.Level.notice
    package var format = LogFormat.text

    /// Throws a ``Failure`` with exit code 78 for a value that is not on its list.
    package init(environment: [String: String]) throws {
        level = try Self.value(of: "TIDINGS_LOG", in: environment, among: Logger.Level.allCases) ?? level
        format = try Self.value(of: "TIDINGS_LOG_FORMAT", in: environment, among: LogFormat.allCases) ?? format
    }

    private static func value<Value: RawRepresentable<String>>(
        of name: String, in environment: [String: String], among all: [Value]
    ) throws -> Value? {
        guard let text = environment[name], !text.isEmpty else { return nil }
        guard let value = Value(rawValue: text) else {
            throw Failure(.config, "\(name): \(text) is not one of \(all.map(\.rawValue).joined(separator: ", "))")
        }
        return value
    }
}
