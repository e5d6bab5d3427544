import Foundation
import Testing
import TidingsPostgres
import TidingsTestSupport

extension Faults {
    /// Intents of nearly the largest size, many more than a role may hold in memory at once.
    @Suite struct LargeIntentTests {
        private static let count = 800
        private static let bytes = 200_000
        /// The most memory that any role may take.
        private static let megabytes = 120

        @Test func waitingIntentsAreReleasedInTurnsOfTheirSize() async throws {
            var bar = Bar()
            try await withFolder { folder in
                try await withTestSystem { system in
                    try await system.applyCatalogue(folder: folder)
                    _ = try await system.startRole("router")
                    _ = try await system.startRole("deliver")
                    let releaser = try await system.startRole("release")

                    _ = try await system.query(
                        """
                        select count(tidings_api.enqueue('social', 'person-' || number, title => 'Large',
                            data => jsonb_build_object('text', repeat('x', \(Int32(Self.bytes)))), send_at => tidings.clock() + interval '1 hour'))
                        from generate_series(1, \(Int32(Self.count))) number
                        """)
                    let isWaiting = try await system.eventually(within: .seconds(90), "select count(*) from tidings.due") {
                        $0 == Self.count
                    }
                    #expect(isWaiting, "not all wait")
                    let relaying = try Self.peak(of: releaser)
                    bar.expect(relaying <= Self.megabytes, "\(relaying) MB while they were relayed, the bar is \(Self.megabytes)")

                    _ = try await system.query("update tidings.clock_offset set shift = shift + interval '61 minutes'")
                    let isDelivered = try await system.eventually(
                        within: .seconds(90), "select count(*) from tidings_ops.deliveries where state = 'delivered'"
                    ) { $0 == Self.count }
                    #expect(isDelivered, "not all was released")
                    let releasing = try Self.peak(of: releaser)
                    bar.expect(releasing <= Self.megabytes, "\(releasing) MB while they were released, the bar is \(Self.megabytes)")
                }
            }
            try bar.end()
        }

        /// The most memory that a process has taken so far, in MB.
        private static func peak(of process: TestProcess) throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
            return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) / 1_024
        }
    }
}
