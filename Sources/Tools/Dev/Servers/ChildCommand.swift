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
        try Spawn.start(
            wrappedArguments, as: executable, environment: environment, output: output, errors: errors, isInNewSession: true)
    }

    private var wrappedArguments: [String] {
        var list = [wrappers.setpriv]
        if let account {
            list += ["--reuid=\(account.userID)", "--regid=\(account.groupID)", "--init-groups"]
        }
        list += ["--pdeathsig=\(signalWhenWeDie.rawValue)", "--", wrappers.env, "--chdir=\(folder)", executable]
        return list + arguments
    }

    /// Programs that do in the child what `posix_spawn` cannot do, and then become the child's program.
    struct Wrappers: Sendable, Equatable {
        /// Changes the user. Asks the kernel to signal the child when the thread that started the child dies.
        let setpriv: String
        /// Changes the working directory.
        let env: String
    }
}
