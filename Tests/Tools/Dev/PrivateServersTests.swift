import Glibc
import Testing
import TidingsTestSupport

@testable import PrivateServers

@Suite(.timeLimit(.minutes(Patience.scaled(5)))) struct PrivateServersTests {
    @Test("both answer, stop leaves nothing, a second start keeps the data", arguments: [false, true])
    func lifecycle(isPrivate: Bool) async throws {
        try await TestHome.with(isPrivate: isPrivate) { home in
            let first = try await home.start()
            #expect(try await first.psql("CREATE TABLE kept (word text); INSERT INTO kept VALUES ('ü'); SELECT current_user") == "tidings")
            try await first.makeVirtualHosts(["kept", "other.one"])
            let listed = try await TestProcess(["/bin/sh", "\(home.path)/rabbitmqctl", "-q", "list_vhosts"], environment: [:]).finish()
            #expect(listed.exitCode == 0 && listed.output.contains("other.one"), "\(listed.errors)")
            #expect(LoopbackPort.speaksAMQP(first.broker.port))
            #expect(PrivateFile.read(home.layout.environmentFile) == nil, "the owner may still have a server to start")
            let kept = try await first.keptPort(for: "api")
            try await first.announce()
            let environment = try #require(PrivateFile.read(home.layout.environmentFile))
            let lines = environment.split(separator: "\n").map(String.init)
            #expect(lines.prefix(2) == ["TIDINGS_AMQP_URL=\(first.amqpURL)", "TIDINGS_DATABASE_URL=\(first.databaseURL)"])
            #expect(mode(home.layout.environmentFile) == 0o600)
            let named = try await psql("SELECT current_user || ' ' || current_database()", with: Array(lines.dropFirst(2)))
            #expect(named == "tidings tidings", "psql finds the server by the file alone, with no password in its arguments")
            try await expectOnLoopbackOnly(first)
            if isPrivate, geteuid() == 0 {
                #expect(Folder.target(ofLink: home.layout.databaseFolder) == home.layout.outsideDatabaseFolder)
            } else {
                #expect(Folder.target(ofLink: home.layout.databaseFolder) == nil)
            }
            let (processes, ports) = (first.processIDs, first.ports)
            #expect(processes.count > 5)  // the postmaster, the beam, their children, and epmd
            #expect(ports.count == 4)
            try await first.stop()
            try await first.stop()
            for process in processes { #expect(!exists(process), "process \(process) is still there") }
            for port in ports { #expect(LoopbackPort.isFree(port), "port \(port) is still taken") }
            #expect(PrivateFile.read(home.layout.environmentFile) == nil)

            let second = try await home.start()
            #expect(try await second.keptPort(for: "api") == kept)
            #expect(second.databaseURL == first.databaseURL)
            #expect(second.amqpURL == first.amqpURL)
            #expect(try await second.psql("SELECT word FROM kept") == "ü")
            let hosts = try await second.rabbitmqctl(["-q", "list_vhosts", "--no-table-headers"])
            #expect(Set(hosts.split(separator: "\n")) == ["/", "kept", "other.one"])
            try await second.stop()
        }
    }

    @Test("two homes run side by side, one home serves one owner, fresh deletes the data")
    func sideBySide() async throws {
        try await TestHome.with { left in
            try await TestHome.with { right in
                async let starting = left.start()
                let second = try await right.start()
                let first = try await starting
                #expect(Set(first.ports).isDisjoint(with: second.ports))
                #expect(try await first.psql("CREATE TABLE mine (); SELECT 'left'") == "left")
                #expect(try await second.psql("SELECT to_regclass('mine') IS NULL") == "t")
                let refused = await #expect(throws: PrivateServersError.self) { try await left.start() }
                #expect(refused == .homeInUse(home: left.layout.home, processID: getpid()))
                try await first.stop()
                #expect(try await second.psql("SELECT 1") == "1")
                #expect(LoopbackPort.speaksAMQP(second.broker.port))

                let fresh = try await left.start(fresh: true)
                #expect(try await fresh.psql("SELECT to_regclass('mine') IS NULL") == "t")
                try await fresh.stop()
                try await second.stop()
            }
        }
    }

    @Test("what a killed owner left behind is ended before the data is touched")
    func leftovers() async throws {
        try await TestHome.with { home in
            let killed = try await home.start()
            #expect(try await killed.psql("CREATE TABLE kept (); SELECT 1") == "1")
            try await killed.pauseBroker()
            let processes = killed.processIDs
            killed.lock.release()  // as the kernel does for a killed owner, but without its signals to the children

            let next = try await home.start()
            for process in processes { #expect(!exists(process), "process \(process) is still there") }
            #expect(try await next.psql("SELECT to_regclass('kept') IS NOT NULL") == "t")
            try await next.stop()
        }
    }

    @Test("an abandoned start leaves nothing running")
    func aCancelledStartLeavesNoServer() async throws {
        try await TestHome.with { home in
            let (said, saying) = AsyncStream.makeStream(of: String.self)
            await withTaskGroup { group in
                group.addTask {
                    let error = await #expect(throws: PrivateServersError.self) {
                        try await PrivateServers.start(home: home.path, say: { saying.yield($0) })
                    }
                    #expect(error == .cancelled)
                }
                for await _ in said { break }
                group.cancelAll()
            }
            #expect(Leftovers(home.layout).running().isEmpty)
            #expect(PrivateFile.read(home.layout.environmentFile) == nil)
            let lock = try HomeLock(home.layout)
            #expect(lock.isHeld)
        }
    }

    /// Runs a statement at the server that the environment names.
    private func psql(_ statement: String, with lines: [String]) async throws -> String {
        let tools = try ServerTools.find(in: .ofThisMachine())
        let pairs = lines.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let variables = Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
        return try await OwnThread.run { () throws(PrivateServersError) in
            let command = ChildCommand(
                executable: "\(tools.postgresFolders[0])/psql", arguments: ["-X", "-q", "-t", "-A", "-c", statement],
                environment: variables.merging(["PATH": tools.path]) { $1 }, wrappers: tools.wrappers)
            return PrivateFile.trimmed(try command.succeed(within: .seconds(30).patient))
        }
    }

    /// Checks that the servers listen on loopback addresses only, so that no host of the network can even try a password.
    private func expectOnLoopbackOnly(_ servers: PrivateServers) async throws {
        var open: Set<UInt16> = []
        for file in ["/proc/net/tcp", "/proc/net/tcp6"] {
            let table = try #require(PrivateFile.read(file, limitBytes: 1 << 20))
            for line in table.split(separator: "\n").dropFirst() {
                let columns = line.split(separator: " ")
                let address = columns[1].split(separator: ":")
                let isListening = columns[3] == "0A"
                let loopback = ["0100007F", "00000000000000000000000001000000"]
                if isListening, !loopback.contains(String(address[0])), let port = UInt16(address[1], radix: 16) { open.insert(port) }
            }
        }
        #expect(open.isDisjoint(with: servers.ports))
    }

    private func mode(_ path: String) -> mode_t {
        var information = stat()
        stat(path, &information)
        return information.st_mode & 0o777
    }
}
