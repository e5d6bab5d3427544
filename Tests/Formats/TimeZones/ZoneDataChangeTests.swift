import Foundation
import Testing
import TidingsCore

@testable import TidingsTimeZones

/// Zone data that changes while a database uses it.
@Suite struct ZoneDataChangeTests {
    private static let summer: Int64 = 1_783_000_000  // 2026-07-02

    @Test func anotherFileCountsAfterALook() throws {
        try withZoneData { folder in
            try folder.install("Asia/Tokyo")
            let database = TimeZoneDatabase(directory: folder.path)
            #expect(try offset(of: "Asia/Tokyo", in: database) == 9 * 3_600)
            #expect(database.look() == ZoneDataState(problem: nil, hasChanged: false, failures: []))

            try folder.install("Asia/Tokyo", as: "Asia/Kathmandu")
            #expect(try offset(of: "Asia/Tokyo", in: database) == 9 * 3_600, "nobody reads a file for each intent")
            #expect(database.look() == ZoneDataState(problem: nil, hasChanged: true, failures: []))
            #expect(try offset(of: "Asia/Tokyo", in: database) == 20_700)
            #expect(!database.look().hasChanged)
        }
    }

    /// The older file has the same size and keeps its time of modification, as archives and packages write it.
    @Test func anOlderFileInItsPlaceIsSeen() throws {
        try withZoneData { folder in
            let zones = ["Etc/GMT+5", "Etc/GMT+6"]
            let times = try zones.map { name in
                try folder.install(name)
                try folder.touch(name, at: Date(timeIntervalSince1970: 1_700_000_000))
                return try folder.size(of: name)
            }
            try #require(times[0] == times[1])
            let database = TimeZoneDatabase(directory: folder.path)
            #expect(try offset(of: "Etc/GMT+5", in: database) == -5 * 3_600)
            _ = database.look()
            try folder.install("Etc/GMT+5", as: "Etc/GMT+6")
            try folder.touch("Etc/GMT+5", at: Date(timeIntervalSince1970: 1_700_000_000))
            #expect(database.look().hasChanged)
            #expect(try offset(of: "Etc/GMT+5", in: database) == -6 * 3_600)
        }
    }

    @Test func aZoneThatComesIsKnownAfterALook() throws {
        try withZoneData { folder in
            let database = TimeZoneDatabase(directory: folder.path)
            _ = database.look()
            #expect(!database.isKnown("Asia/Tokyo"))
            try folder.install("Asia/Tokyo")
            #expect(!database.isKnown("Asia/Tokyo"), "a failure is kept as well")
            _ = database.look()
            #expect(database.isKnown("Asia/Tokyo"))
        }
    }

    @Test func eachFailureIsToldOnce() throws {
        try withZoneData { folder in
            let database = TimeZoneDatabase(directory: folder.path)
            try folder.write("Asia/Damaged", Array("TZif2 cut short".utf8))
            for _ in 0..<3 {
                for name in ["Mars/Phobos", "Asia/Damaged"] { #expect(throws: TimeZoneError.self) { try offset(of: name, in: database) } }
            }
            let failures = database.look().failures
            #expect(failures.count == 2 && failures.last == .unknown("Mars/Phobos"), "\(failures)")
            guard case .unreadable(zone: "Asia/Damaged", _)? = failures.first else {
                Issue.record("a damaged file is no missing one: \(failures)")
                return
            }
            #expect(throws: TimeZoneError.self) { try offset(of: "Mars/Phobos", in: database) }
            #expect(database.look().failures.isEmpty)
            #expect(!database.isKnown("Venus/Ovda"))
            #expect(database.look().failures.isEmpty, "a question about a name judges nobody")
        }
    }

    @Test func aFolderThatIsGoneIsTold() throws {
        try withZoneData { folder in
            let database = TimeZoneDatabase(directory: folder.path)
            try database.check()
            try folder.install("Asia/Tokyo")
            #expect(database.isKnown("Asia/Tokyo"))
            _ = database.look()

            try folder.hide()
            #expect(database.look().problem?.description.contains(folder.path) == true)
            #expect(!database.isKnown("Asia/Tokyo"), "what was read from it does not count any longer")
            #expect(throws: TimeZoneError.self) { try database.check() }

            try folder.restore()
            #expect(database.look().problem == nil)
            #expect(database.isKnown("Asia/Tokyo"))
        }
    }

    /// Some images keep the names and lose the content.
    @Test func filesThatAllSayUTCAreNoZoneData() throws {
        try TimeZoneDatabase().check()
        try withZoneData { folder in
            try folder.install("Europe/Berlin", as: "Etc/UTC")
            #expect(throws: TimeZoneError.noData(directory: folder.path, reason: "Europe/Berlin has no summer time")) {
                try TimeZoneDatabase(directory: folder.path).check()
            }
            try folder.write("Europe/Berlin", [])
            #expect(throws: TimeZoneError.self) { try TimeZoneDatabase(directory: folder.path).check() }
        }
        #expect(throws: TimeZoneError.self) { try TimeZoneDatabase(directory: "/nonexistent").check() }
    }

    private func offset(of name: String, in database: TimeZoneDatabase) throws -> Int {
        try database.offsets(for: name, from: Self.summer, through: Self.summer).initialOffset
    }
}

/// A folder of zone data that a test may change. Europe/Berlin is always in it.
private struct ZoneDataFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("zones-\(UUID().uuidString)").path

    /// Copies a zone of this machine into the folder, under its own name or in place of another. The zone is a new file that is renamed, as
    /// packages install it.
    func install(_ name: String, as source: String? = nil) throws {
        try write(name, try #require(Zdump.file("\(TimeZoneDatabase.standardDirectory)/\(source ?? name)")))
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let file = URL(fileURLWithPath: path).appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file, options: .atomic)
    }

    func touch(_ name: String, at time: Date) throws {
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: "\(path)/\(name)")
    }

    func size(of name: String) throws -> Int {
        try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")).count
    }

    func hide() throws { try FileManager.default.moveItem(atPath: path, toPath: path + "-away") }

    func restore() throws { try FileManager.default.moveItem(atPath: path + "-away", toPath: path) }
}

private func withZoneData(_ body: (ZoneDataFolder) throws -> Void) throws {
    let folder = ZoneDataFolder()
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    try folder.install("Europe/Berlin")
    try body(folder)
}
