import Glibc

/// Runs a tool to its end.
extension ChildCommand {
    struct Output: Sendable {
        let status: Int32
        let text: String
        let errors: String
    }

    /// Runs the command to its end and returns its output.
    /// - Throws: ``PrivateServersError/commandFailed(command:status:output:)`` if the command runs longer than `limit`. The command is
    ///   killed then.
    func run(within limit: Duration) throws(PrivateServersError) -> Output {
        let output = try Self.namelessFile()
        defer { close(output) }
        let errors = try Self.namelessFile()
        defer { close(errors) }
        let child = try ChildProcess.start(self, output: output, errors: errors)
        guard let status = child.exit(within: limit) else {
            child.end(with: SIGKILL, patience: .zero)
            throw .commandFailed(command: shortName, status: nil, output: Self.contents(errors))
        }
        return Output(status: status, text: Self.contents(output), errors: Self.contents(errors))
    }

    /// Runs the command as ``run(within:)`` does, and throws unless the exit status is 0. Returns the standard output.
    @discardableResult
    func succeed(within limit: Duration) throws(PrivateServersError) -> String {
        let output = try run(within: limit)
        guard output.status == 0 else {
            let words = output.errors.isEmpty ? output.text : output.errors
            throw .commandFailed(command: shortName, status: output.status, output: PrivateFile.trimmed(words))
        }
        return output.text
    }

    /// The program's name without its arguments, which may contain secrets.
    private var shortName: String {
        executable.split(separator: "/").last.map(String.init) ?? executable
    }

    /// Opens a file without a name for the output. A pipe would need a reader of its own, or a child that writes much would block.
    private static func namelessFile() throws(PrivateServersError) -> CInt {
        guard let stream = tmpfile() else { throw .system(call: "tmpfile", reason: errorText(errno)) }
        defer { fclose(stream) }
        let file = fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0)
        guard file >= 0 else { throw .system(call: "fcntl", reason: errorText(errno)) }
        return file
    }

    private static func contents(_ file: CInt) -> String {
        var bytes = [UInt8](repeating: 0, count: outputLimitBytes)
        let count = pread(file, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// More than any tool here writes. Longer output is cut.
    private static let outputLimitBytes = 1 << 20
}
