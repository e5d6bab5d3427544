import Glibc
import Synchronization

/// The private PostgreSQL server, a child of this process. Every call blocks its thread.
final class PrivatePostgres: Sendable {
    let port: UInt16
    let url: String
    let folder: PostgresFolder
    let password: String
    let server = Mutex<ChildProcess?>(nil)
    private let bin: String
    private let tools: ServerTools
    private let log: String
    private let claim: PortClaim
    /// Settings as `name=value` beside those of ``PostgresSettings``.
    private let settings: [String]

    static let user = "tidings"
    static let databaseName = "tidings"

    /// - Parameter password: the password of the data. Nil for the one beside the data, or a new one.
    init(
        layout: ServersLayout, folder: PostgresFolder, tools: ServerTools, settings: [String] = [], password: String? = nil
    ) throws(PrivateServersError) {
        self.folder = folder
        self.tools = tools
        self.settings = settings
        if let password { try PrivateFile.write(password + "\n", to: folder.passwordFile) }
        bin = try Self.bin(for: folder, tools)
        log = "\(layout.logFolder)/postgresql.log"
        self.password = try PrivateFile.secret(folder.passwordFile)
        claim = try LoopbackPort.kept(in: "\(folder.path)/port")
        port = claim.port
        url = "postgres://\(Self.user):\(self.password)@127.0.0.1:\(port)/\(Self.databaseName)"
    }

    /// The environment for libpq, as `NAME=value`. `psql` then needs no password in its arguments, which every user of the machine may
    /// read. A URL with all of these values has priority.
    var environment: [String] {
        [
            "PGHOST=127.0.0.1", "PGPORT=\(port)", "PGUSER=\(Self.user)", "PGPASSWORD=\(password)", "PGDATABASE=\(Self.databaseName)",
        ]
    }

    var processID: pid_t? { server.withLock { $0?.processID } }

    /// Starts the server and returns when it answers. Makes the data first if there is none. Does nothing if the server is running.
    func start(abandoned: Flag) throws(PrivateServersError) {
        let result = server.withLock { server -> Result<Void, PrivateServersError> in
            if let server, server.exit(within: .zero) == nil { return .success(()) }
            do throws(PrivateServersError) {
                if folder.version == nil { try makeData() }
                let hadMemory = notedMemory
                let child = try ChildProcess.start(serverCommand, log: log)
                server = child
                try Readiness(server: "PostgreSQL", log: log, limit: Self.startLimit, abandoned: abandoned).wait(for: child) {
                    self.saysReady(child.processID)
                }
                if hadMemory { try waitForMemory(of: child, abandoned: abandoned) }
                try makeDatabase()
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    /// Whether the server was started and has ended without a call of ``stop(immediate:)``.
    var endedByItself: Bool { server.withLock { $0?.exit(within: .zero) != nil } }

    /// Ends the server and returns when it has ended. `immediate` is PostgreSQL's word for an intended crash.
    func stop(immediate: Bool) {
        server.withLock { server in
            server?.end(with: immediate ? SIGQUIT : SIGINT, patience: Self.stopLimit)
            server = nil
        }
    }

    /// Releases the port. Call this after the last stop.
    func releasePort() { claim.release() }

    /// Runs `initdb` into another folder and renames that folder when it is complete. An interrupted start therefore leaves no incomplete
    /// data.
    private func makeData() throws(PrivateServersError) {
        let draft = "\(folder.dataFolder).new"
        let passwordCopy = "\(folder.path)/password.once"
        try Folder.remove(draft)
        try PrivateFile.write(password + "\n", to: passwordCopy, owner: folder.account)
        let outcome = Result { () throws(PrivateServersError) in
            try command(
                "initdb",
                [
                    "--pgdata=\(draft)", "--username=\(Self.user)", "--pwfile=\(passwordCopy)", "--auth=scram-sha-256",
                    // C.UTF-8 also orders text as bytes, but asks the C library about each pair.
                    "--encoding=UTF8", "--locale=C.UTF-8", "--lc-collate=C", "--no-sync", "--no-instructions",
                ]
            ).succeed(within: Self.toolLimit)
        }
        try PrivateFile.remove(passwordCopy)
        _ = try outcome.get()
        guard rename(draft, folder.dataFolder) == 0 else {
            throw .cannotUse(path: folder.dataFolder, reason: errorText(errno))
        }
    }

    private func makeDatabase() throws(PrivateServersError) {
        let exists = try psql("SELECT count(*) FROM pg_database WHERE datname = '\(Self.databaseName)'")
        if PrivateFile.trimmed(exists) == "0" { try psql("CREATE DATABASE \(Self.databaseName)") }
    }

    /// Runs one statement as the superuser. The password is in the environment, which only this user can read.
    @discardableResult
    func psql(_ statement: String) throws(PrivateServersError) -> String {
        try client("psql", ["-X", "-q", "-t", "-A", "-d", "postgres", "-c", statement]).succeed(within: Self.toolLimit)
    }

    /// A program that connects to this server as the superuser. It runs as this user, and the password is in its environment.
    func client(_ name: String, _ arguments: [String]) -> ChildCommand {
        var command = command(name, arguments)
        command.account = nil
        command.environment["PGHOST"] = "127.0.0.1"
        command.environment["PGPORT"] = "\(port)"
        command.environment["PGUSER"] = Self.user
        command.environment["PGPASSWORD"] = password
        return command
    }

    private var serverCommand: ChildCommand {
        let settings = PostgresSettings(bin: bin).all + settings + ["port=\(port)"]
        var command = command("postgres", ["-D", folder.dataFolder] + settings.flatMap { ["-c", $0] })
        command.signalWhenWeDie = .interrupt  // a fast shutdown
        return command
    }

    /// Whether the last stop recorded the pages in memory. This start then reads them again.
    private var notedMemory: Bool {
        PostgresSettings(bin: bin).hasPrewarm && PrivateFile.read("\(folder.dataFolder)/\(PostgresSettings.prewarmNote)") != nil
    }

    /// Waits until the recorded pages are read, as the log of this start says, or until ``memoryLimit``. After the limit, the reading
    /// continues beside the work.
    private func waitForMemory(of child: ChildProcess, abandoned: Flag) throws(PrivateServersError) {
        let deadline = ContinuousClock.now + Self.memoryLimit
        try Readiness(server: "PostgreSQL", log: log, limit: Self.startLimit, abandoned: abandoned).wait(for: child) {
            let said = PrivateFile.read(self.log, limitBytes: Self.startLogLimit)
            return said?.contains(PostgresSettings.prewarmEnd) == true || ContinuousClock.now > deadline
        }
    }

    func command(_ name: String, _ arguments: [String]) -> ChildCommand {
        ChildCommand(
            executable: "\(bin)/\(name)",
            arguments: arguments,
            environment: ["PATH": tools.path, "LANG": "C.UTF-8", "HOME": "/nonexistent"],
            wrappers: tools.wrappers,
            account: folder.account
        )
    }

    /// Whether the server reports that it is ready, in the eighth line of its pid file. `pg_ctl -w` waits for the same word.
    private func saysReady(_ processID: pid_t) -> Bool {
        guard let text = PrivateFile.read("\(folder.dataFolder)/postmaster.pid") else { return false }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count >= 8 && lines[0] == "\(processID)" && lines[7].hasPrefix("ready")
    }

    private static func bin(for folder: PostgresFolder, _ tools: ServerTools) throws(PrivateServersError) -> String {
        guard let version = folder.version else {
            return tools.postgresFolders[0]
        }
        guard let bin = tools.postgresFolders.first(where: { $0.contains("/postgresql/\(version)/") }) else {
            // A PostgreSQL outside Debian's folders shows its version only when it runs. If the version does not match the data, the server
            // reports that itself.
            if let other = tools.postgresFolders.first(where: { !$0.contains("/postgresql/") }) { return other }
            throw .versionMissing(version: version, folder: folder.dataFolder)
        }
        return bin
    }

    /// Recovery after a crash may take long. No answer after this time is a fault.
    private static let startLimit = Duration.seconds(300)
    /// Reading 2 GB takes 6 s from the kernel's cache, and half a minute from a slow disk.
    private static let memoryLimit = Duration.seconds(30)
    /// In bytes. A start logs some ten lines, and twice as many with a recovery.
    private static let startLogLimit = 65536
    /// A checkpoint first writes every changed page to disk.
    static let stopLimit = Duration.seconds(60)
    /// `initdb` usually takes 1 to 2 s, and ten times that on a slow disk.
    private static let toolLimit = Duration.seconds(60)
}
