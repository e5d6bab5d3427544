import Foundation
import Glibc
import Testing

@testable import TidingsServer

/// The file with the addresses of a running `tidings dev`. Its writer decides to which server a command sends its data.
@Suite struct DevelopmentHomeTests {
    private static func withHome(_ body: (DevelopmentHome, _ file: URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(DevelopmentHome(path: folder.path), folder.appendingPathComponent("env"))
    }

    @Test func theOwnFileCountsUnlessTheEnvironmentNamesServers() throws {
        try Self.withHome { home, file in
            #expect(try home.environment(over: ["A": "1"]) == ["A": "1"])
            try "TIDINGS_DATABASE_URL=postgres://one\nPGHOST=two\nTIDINGS_AMQP_URL=amqp://three?a=b\n".write(
                to: file, atomically: true, encoding: .utf8)
            #expect(chmod(file.path, 0o644) == 0)
            let found = try home.environment(over: ["A": "1"])
            #expect(found == ["A": "1", "TIDINGS_DATABASE_URL": "postgres://one", "TIDINGS_AMQP_URL": "amqp://three?a=b"])
            let named = ["TIDINGS_DATABASE_URL": "postgres://own"]
            #expect(try home.environment(over: named) == named)
        }
    }

    @Test(arguments: [0o666, 0o664, 0o646] as [mode_t]) func aFileThatOthersCanWriteIsRefused(mode: mode_t) throws {
        try Self.withHome { home, file in
            try "TIDINGS_DATABASE_URL=postgres://stranger\n".write(to: file, atomically: true, encoding: .utf8)
            #expect(chmod(file.path, mode) == 0)
            let refused = #expect(throws: Failure.self) { try home.environment(over: [:]) }
            #expect(refused?.code == .notPermitted)
            // Nothing of the file is read if the environment names servers.
            #expect(try home.environment(over: ["TIDINGS_AMQP_URL": "amqp://own"]).count == 1)
        }
    }

    @Test func aFileOfAnotherUserIsRefused() {
        #expect(DevelopmentHome.isOwn(owner: 1_000, mode: 0o100600, of: 1_000))
        #expect(!DevelopmentHome.isOwn(owner: 1_000, mode: 0o100600, of: 0))
        #expect(!DevelopmentHome.isOwn(owner: 0, mode: 0o100644, of: 1_000))
    }

    @Test func developmentStaysOnThisMachine() throws {
        func settings(_ address: String) throws -> APISettings {
            let variables = ["TIDINGS_API_LISTEN": address, "TIDINGS_API_PROXIES": "10.0.0.1"]
            return try #require(try APISettings(environment: variables, standardListen: nil))
        }
        for address in ["127.0.0.1:0", "[::1]:8080"] { try settings(address).requireThisMachine() }
        for address in ["0.0.0.0:0", "10.1.2.3:8080", "[::]:0"] {
            let refused = #expect(throws: Failure.self) { try settings(address).requireThisMachine() }
            #expect(refused?.code == .config, "\(address)")
        }
    }
}
