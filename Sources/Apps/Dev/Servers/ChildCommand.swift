import Glibc

/// A program to run as a child process. The child inherits only the listed things from this process.
struct ChildCommand: Sendable {
    let executable: String
    var arguments: [String] = []
    /// The whole environment of the child. The environment of this process is not passed on.
    var environment: [String: String]
    /// The working directory. Every user may enter `/`.
    var folder = "/"
    let wrappers: Wrappers
    /// The user to become. Only root may change the user.
    var account: Account?
    /// The signal that the child gets if this process dies without stopping the child.
    var signalWhenWeDie = DeathSignal.terminate

    /// A signal, by the name that `setpriv` knows. `setpriv` accepts no numbers.
    enum DeathSignal: String, Sendable {
        case terminate = "TERM"
        case interrupt = "INT"
    }

    /// Starts the child in a session of its own. Ctrl-C in the terminal then reaches only this process, which stops the servers in order.
    /// - Parameters:
    ///   - output: descriptor for the standard output.
    ///   - errors: descriptor for the standard error.
    /// - Returns: the process id. The caller must wait for the process.
    func spawn(output: CInt, errors: CInt) throws(PrivateServersError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        for file in try Self.inheritableFiles() { posix_spawn_file_actions_addclose(&actions, file) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A server process may ignore or block signals for itself. The child must not inherit that.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = CInt(POSIX_SPAWN_SETSIGMASK) | CInt(POSIX_SPAWN_SETSIGDEF) | Self.newSession
        posix_spawnattr_setflags(&attributes, CShort(flags))

        var processID: pid_t = 0
        let code = Self.withCStrings(wrappedArguments) { arguments in
            Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { environment in
                posix_spawn(&processID, wrappers.setpriv, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw .system(call: "starting \(executable)", reason: errorText(code)) }
        return processID
    }

    private var wrappedArguments: [String] {
        var list = [wrappers.setpriv]
        if let account {
            list += ["--reuid=\(account.userID)", "--regid=\(account.groupID)", "--init-groups"]
        }
        list += ["--pdeathsig=\(signalWhenWeDie.rawValue)", "--", wrappers.env, "--chdir=\(folder)", executable]
        return list + arguments
    }

    /// The open descriptors beyond the standard three. A server that outlives this process must not inherit a file that a library opened
    /// without `O_CLOEXEC`. A descriptor that is closed meanwhile does no harm.
    private static func inheritableFiles() throws(PrivateServersError) -> [CInt] {
        try Folder.names(in: "/proc/self/fd").compactMap { CInt($0) }.filter { $0 > STDERR_FILENO }
    }

    /// Programs that do in the child what `posix_spawn` cannot do, and then become the child's program.
    struct Wrappers: Sendable, Equatable {
        /// Changes the user. Asks the kernel to signal the child when the thread that started the child dies.
        let setpriv: String
        /// Changes the working directory.
        let env: String
    }

    /// The value of `POSIX_SPAWN_SETSID`, which glibc declares only with `_GNU_SOURCE`.
    private static let newSession: CInt = 0x80

    private static func withCStrings<Value>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
