import Glibc

/// A program to run as a child, and everything it inherits from us: nothing that is not listed here.
struct ChildCommand: Sendable {
    let executable: String
    var arguments: [String] = []
    /// The whole environment; ours is not passed on.
    var environment: [String: String]
    /// Working directory; `/` is one every user may enter.
    var folder = "/"
    let wrappers: Wrappers
    /// User to become; only root may.
    var account: Account?
    /// What the child gets when this process dies without stopping it.
    var signalWhenWeDie = DeathSignal.terminate

    /// By the names that `setpriv` knows; it takes no numbers.
    enum DeathSignal: String, Sendable {
        case terminate = "TERM"
        case interrupt = "INT"
    }

    /// Starts it in a session of its own, so that Ctrl-C in the terminal reaches only us and servers are stopped in order.
    /// - Parameters:
    ///   - output: descriptor for its standard output.
    ///   - errors: descriptor for its standard error.
    /// - Returns: the process id; waiting for it is the caller's duty.
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
        // A server process ignores or blocks signals for itself; that must not reach the child.
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

    /// What is open beyond the standard three. A library that opens files without `O_CLOEXEC` must not hand them to a server that
    /// outlives us; one that is closed in the meantime does no harm.
    private static func inheritableFiles() throws(PrivateServersError) -> [CInt] {
        try Folder.names(in: "/proc/self/fd").compactMap { CInt($0) }.filter { $0 > STDERR_FILENO }
    }

    /// Programs that do in the child what `posix_spawn` cannot, and become the program.
    struct Wrappers: Sendable, Equatable {
        /// Changes the user, and asks the kernel to signal the child when the thread that started it dies.
        let setpriv: String
        /// Changes the working directory.
        let env: String
    }

    /// `POSIX_SPAWN_SETSID`, which glibc shows only with `_GNU_SOURCE`.
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
