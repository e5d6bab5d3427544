import Glibc
import TidingsTestSupport

@testable import PrivateServers

/// A home for one test. The test's end deletes the home with all data of its servers.
struct TestHome: Sendable {
    let path: String

    /// - Parameter isPrivate: only the owner may enter the home. If the test runs as root, PostgreSQL's data is kept in another folder.
    static func with(isPrivate: Bool = false, _ body: (TestHome) async throws -> Void) async throws {
        var template = Array("/tmp/tidings-servers-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw PrivateServersError.system(call: "mkdtemp", reason: errorText(errno)) }
        let folder = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        chmod(folder, isPrivate ? 0o700 : 0o755)
        let home = TestHome(path: folder)
        do {
            try await body(home)
        } catch {
            try? home.delete()
            throw error
        }
        try home.delete()
    }

    var layout: ServersLayout { ServersLayout(home: path) }

    private func delete() throws {
        try Leftovers(layout).end(patience: .zero)
        try Folder.remove(layout.outsideDatabaseFolder)
        try Folder.remove(path)
    }

    func start(fresh: Bool = false) async throws -> PrivateServers {
        try await PrivateServers.start(home: path, fresh: fresh, say: { _ in })
    }
}

extension PrivateServers {
    /// Every known process, with PostgreSQL's child processes.
    nonisolated var processIDs: [pid_t] {
        Leftovers(layout).running().map(\.processID)
    }

    /// Every port that the processes may listen on.
    nonisolated var ports: [UInt16] {
        let names = ["port", "node-port", "name-port"].map { "\(layout.brokerFolder)/\($0)" }
        return [database.port] + names.compactMap { PrivateFile.read($0).flatMap { UInt16($0) } }
    }

    /// Runs a statement through the public URL and returns what `psql` prints.
    func psql(_ statement: String) async throws -> String {
        let (url, tools) = (databaseURL, try ServerTools.find(in: .ofThisMachine()))
        return try await OwnThread.run { () throws(PrivateServersError) in
            let command = ChildCommand(
                executable: "\(tools.postgresFolders[0])/psql",
                arguments: ["-X", "-q", "-t", "-A", "-c", statement, url],
                environment: ["PATH": tools.path],
                wrappers: tools.wrappers
            )
            return PrivateFile.trimmed(try command.succeed(within: .seconds(30).patient))
        }
    }
}

/// Whether a process with this number runs. An ended process that init has not collected yet has no program and does not count.
func exists(_ processID: pid_t) -> Bool {
    Folder.target(ofLink: "/proc/\(processID)/exe") != nil
}
