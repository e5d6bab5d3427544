import Glibc

/// The programs that make and run both servers. All programs are found before anything is changed, so that a missing program costs nothing.
struct ServerTools: Sendable {
    /// Folders that each contain a complete PostgreSQL (`initdb`, `postgres`, `psql`), the preferred one first.
    let postgresFolders: [String]
    /// The folder of RabbitMQ's own scripts.
    let rabbitFolder: String
    let epmd: String
    let wrappers: ChildCommand.Wrappers
    /// `PATH` for the children. RabbitMQ's scripts look there for `erl` and common tools.
    let path: String

    /// - Throws: ``PrivateServersError/missingTool(name:package:searched:)`` for the first missing program.
    static func find(in folders: ToolFolders) throws(PrivateServersError) -> ServerTools {
        let postgresFolders = (folders.postgres + folders.path).filter { folder in
            ["initdb", "postgres", "psql"].allSatisfy { isExecutable("\(folder)/\($0)") }
        }
        guard !postgresFolders.isEmpty else {
            throw .missingTool(name: "initdb", package: "postgresql", searched: folders.postgres + folders.path)
        }
        // A folder counts only if it contains `rabbitmq-env`. Debian's scripts in `PATH` are wrappers that insist on user `rabbitmq` and
        // the system's own node.
        let rabbitFolder = (folders.rabbit + folders.path).first { folder in
            ["rabbitmq-server", "rabbitmqctl", "rabbitmq-env"].allSatisfy { isExecutable("\(folder)/\($0)") }
        }
        guard let rabbitFolder else {
            throw .missingTool(name: "rabbitmq-server", package: "rabbitmq-server", searched: folders.rabbit + folders.path)
        }
        _ = try folders.command("erl", package: "erlang-base")
        return ServerTools(
            postgresFolders: postgresFolders,
            rabbitFolder: rabbitFolder,
            epmd: try folders.command("epmd", package: "erlang-base"),
            wrappers: try .find(in: folders),
            path: folders.path.joined(separator: ":")
        )
    }

}

private func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

extension ChildCommand.Wrappers {
    static func find(in folders: ToolFolders) throws(PrivateServersError) -> Self {
        Self(setpriv: try folders.command("setpriv", package: "util-linux"), env: try folders.command("env", package: "coreutils"))
    }
}

/// The folders that are searched for programs.
struct ToolFolders: Sendable {
    /// One folder for each installed version, the preferred one first.
    var postgres: [String]
    var rabbit: [String]
    /// The folders of `PATH`.
    var path: [String]

    /// Returns the first program of this name in `PATH`. `package` is the Debian package with the program.
    func command(_ name: String, package: String) throws(PrivateServersError) -> String {
        guard let folder = path.first(where: { isExecutable("\($0)/\(name)") }) else {
            throw .missingTool(name: name, package: package, searched: path)
        }
        return "\(folder)/\(name)"
    }

    /// Returns Debian's folders, which are not in `PATH`, and the folders of `PATH`.
    static func ofThisMachine() -> ToolFolders {
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        let versions = ((try? Folder.names(in: "/usr/lib/postgresql")) ?? []).compactMap { Int($0) }
        let preferred = versions.sorted { left, right in
            (left == testedPostgres ? 1 : 0, left) > (right == testedPostgres ? 1 : 0, right)
        }
        return ToolFolders(
            postgres: preferred.map { "/usr/lib/postgresql/\($0)/bin" },
            rabbit: ["/usr/lib/rabbitmq/bin"],
            path: path.split(separator: ":").map(String.init)
        )
    }

    /// The version that Tidings is tested with. New data uses this version rather than a newer one.
    private static let testedPostgres = 15
}
