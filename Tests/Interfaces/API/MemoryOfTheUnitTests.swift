import Foundation
import Testing
import TidingsHTTPServer
import TidingsServer

@testable import TidingsAPI

/// The bounds of the API fit into the memory of its unit, whatever clients do.
@Suite struct MemoryOfTheUnitTests {
    /// Bytes of a process without clients, and of a connection with a stream, as they were measured.
    private static let (process, stream) = (75 << 20, 25 << 10)
    /// Bytes of a connection with TLS beyond a plain one, at most. OpenSSL keeps some 12 KiB for an idle connection. The bytes of each
    /// direction wait in memory that grows by a third beyond its content: a record of 16 KiB to the client, and a record from the client
    /// beside the part that was read last.
    private static let tls = (12 << 10) + (16 + 2 * 16) * 1_024 * 4 / 3
    /// The bytes that a body costs for each of its own, see ``ByteRoom``.
    private static let copies = 5

    @Test func noClientReachesTheLimitOfTheUnit() throws {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let unit = try String(contentsOf: root.appendingPathComponent("deploy/systemd/tidings-api@.service"), encoding: .utf8)
        let setting = try #require(unit.split(separator: "\n").first { $0.hasPrefix("MemoryMax=") })
        try #require(setting.hasSuffix("G"))
        let limit = try #require(Int(setting.dropFirst("MemoryMax=".count).dropLast())) << 30

        let settings = try #require(try APISettings(environment: [:], standardListen: APISettings.standardListen))
        let rooms = [ByteRoom.strangers, ByteRoom.people, ByteRoom.tenants, ByteRoom.providers]
        let bodies = rooms.reduce(0) { $0 + $1.total } * Self.copies
        let unproven = (KeyDesk.mostWaiting + TokenKeys.mostWaiting) * 4 * APILimits.server.partBytes
        let connections = settings.connections * (Self.stream + Self.tls)
        let most = Self.process + connections + bodies + RequestRoom.answers.total + unproven
        #expect(most < limit, "\(most >> 20) MiB")
    }
}
