import CSpawn
import Glibc

/// Starts programs as children of this process and collects their ends. Private servers and the processes of tests are started here.
///
/// A child inherits its three standard descriptors and nothing else of this process: no other descriptor, and no blocked or ignored
/// signal.
package enum Spawn {
    /// The end of a child.
    package enum End: Sendable {
        case exited(status: Int32)
        case killed(signal: Int32)
    }

    /// Starts a program. The caller must collect its end with ``end(of:)`` and ``reap(_:)``.
    ///
    /// - Parameters:
    ///   - arguments: the path of the program, then its arguments.
    ///   - name: the program in the words of an error.
    ///   - environment: the whole environment of the child. The environment of this process is not passed on.
    ///   - input: descriptor for the standard input. Nil for an empty input.
    ///   - output: descriptor for the standard output.
    ///   - errors: descriptor for the standard error.
    ///   - isInNewSession: whether Ctrl-C in the terminal does not reach the child.
    /// - Returns: the process id.
    package static func start(
        _ arguments: [String], as name: String, environment: [String: String], input: Int32? = nil, output: Int32, errors: Int32,
        isInNewSession: Bool = false
    ) throws(PrivateServersError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        } else {
            posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // The child closes them itself. A list that this process made before would miss a file that another thread opens meanwhile without
        // `O_CLOEXEC`.
        let code = tidings_spawn_close_from(&actions, STDERR_FILENO + 1)
        guard code == 0 else { throw .system(call: "starting \(name)", reason: errorText(code)) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This process, or the thread that starts the child, may ignore or block signals for itself. A child that inherits this could not
        // be stopped.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = CShort(POSIX_SPAWN_SETSIGMASK) | CShort(POSIX_SPAWN_SETSIGDEF) | (isInNewSession ? tidings_spawn_new_session : 0)
        posix_spawnattr_setflags(&attributes, flags)

        var processID: pid_t = 0
        let program = arguments[0]
        let result = withCStrings(arguments) { arguments in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&processID, program, &actions, &attributes, arguments, environment)
            }
        }
        guard result == 0 else { throw .system(call: "starting \(name)", reason: errorText(result)) }
        return processID
    }

    /// Blocks until the child has ended. The number belongs to the child until ``reap(_:)``, so a signal cannot reach another process.
    package static func end(of processID: Int32) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Reaps a child that has ended. Its number may then belong to another process.
    package static func reap(_ processID: Int32) -> End {
        var status: CInt = 0
        while waitpid(processID, &status, 0) < 0, errno == EINTR {}
        let signalNumber = status & 0x7f
        return signalNumber == 0 ? .exited(status: (status >> 8) & 0xff) : .killed(signal: signalNumber)
    }

    private static func withCStrings<Value>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
