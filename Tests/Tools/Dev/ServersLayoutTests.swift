import Glibc
import Testing

@testable import PrivateServers

@Suite struct ServersLayoutTests {
    @Test("one home is one layout, however it is spelled; two homes share nothing")
    func spelling() async throws {
        try await TestHome.with { home in
            try Folder.make("\(home.path)/a")
            #expect(symlink("\(home.path)/a", "\(home.path)/link") == 0)
            let plain = ServersLayout(home: "\(home.path)/a")
            #expect(ServersLayout(home: "\(home.path)/link/../a/") == plain)
            #expect(ServersLayout(home: "\(home.path)/link").outsideDatabaseFolder == plain.outsideDatabaseFolder)
            #expect(ServersLayout(home: "\(home.path)/b").outsideDatabaseFolder != plain.outsideDatabaseFolder)
            #expect(ServersLayout(home: "not-made-yet").home.hasSuffix("/not-made-yet"))
        }
    }

    @Test("a lock is for one owner at a time")
    func lock() async throws {
        try await TestHome.with { home in
            let first = try HomeLock(home.layout)
            let error = #expect(throws: PrivateServersError.self) { try HomeLock(home.layout) }
            #expect(error == .homeInUse(home: home.layout.home, processID: getpid()))
            first.release()
            #expect(try HomeLock(home.layout).isHeld)
        }
    }

    @Test("a port that one home has chosen is no other home's, also before a server listens there, until it is let go")
    func ports() async throws {
        try await TestHome.with { home in
            let first = try LoopbackPort.kept(in: "\(home.path)/first")
            #expect(LoopbackPort.isFree(first.port))
            try PrivateFile.write("\(first.port)", to: "\(home.path)/second")
            #expect(try LoopbackPort.kept(in: "\(home.path)/second").port != first.port)
            first.release()
            first.release()
            #expect(try LoopbackPort.kept(in: "\(home.path)/first").port == first.port)
        }
    }

    @Test("data of a deleted home is not found again by the next home of that name")
    func deletedHome() async throws {
        guard geteuid() == 0 else { return }
        try await TestHome.with(isPrivate: true) { home in
            let folder = try PostgresFolder.prepare(home.layout, fresh: false)
            #expect(folder.path == home.layout.outsideDatabaseFolder)
            try PrivateFile.write("1", to: "\(folder.path)/mark")
            #expect(try PostgresFolder.prepare(home.layout, fresh: false) == folder)
            #expect(PrivateFile.read("\(folder.path)/mark") == "1")
            try Folder.remove(home.layout.databaseFolder)
            #expect(try PostgresFolder.prepare(home.layout, fresh: false) == folder)
            #expect(PrivateFile.read("\(folder.path)/mark") == nil)
        }
    }
}
