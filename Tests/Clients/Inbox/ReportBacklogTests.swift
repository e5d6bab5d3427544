import Foundation
import Testing

@testable import TidingsInbox

/// The choice of the next request with reports, and their bytes in a storage.
@Suite struct ReportBacklogTests {
    private static let now = Date(timeIntervalSince1970: 1_795_608_000)

    private static func event(_ number: Int) -> Report {
        .event(EngagementEvent(type: .opened, notificationId: Sample.id(number), at: now))
    }

    private static func backlog(_ reports: [Report]) -> ReportBacklog {
        var backlog = ReportBacklog()
        _ = backlog.add(reports, at: now)
        return backlog
    }

    @Test func eventsGoTogetherAndAReceiptAlone() {
        let receipt = Report.receipt(notificationId: "n", deviceId: "d")
        var backlog = Self.backlog([Self.event(1), receipt, Self.event(2)])
        #expect(backlog.next.map(\.report) == [Self.event(1), Self.event(2)])
        backlog.remove(backlog.next)
        #expect(backlog.next.map(\.report) == [receipt])
        _ = backlog.add([Self.event(3)], at: Self.now)
        backlog.postpone(backlog.next)
        #expect(backlog.entries.map(\.report) == [Self.event(3), receipt])
    }

    @Test func aRefusedRequestIsHalved() {
        var backlog = Self.backlog((0..<60).map(Self.event))
        #expect(backlog.next.count == ReportBacklog.maximumEvents)
        for half in [25, 12, 6, 3, 1, 1] {
            backlog.narrow(backlog.next)
            #expect(backlog.next.count == half)
        }
        backlog.widen()
        #expect(backlog.next.count == ReportBacklog.maximumEvents)
    }

    @Test func reportsSurviveTheirBytes() throws {
        let reports = [Self.event(1), .receipt(notificationId: "n", deviceId: "d")]
        var other = Self.backlog([Self.event(2)])
        let surplus = other.restore(try Self.backlog(reports).data)
        #expect(surplus.isEmpty)
        #expect(other.entries.map(\.report) == reports + [Self.event(2)])
        #expect(Set(other.entries.map(\.number)).count == 3)
        let early = other.expire(at: Self.now.addingTimeInterval(ReportBacklog.maximumAge))
        let late = other.expire(at: Self.now.addingTimeInterval(ReportBacklog.maximumAge + 1))
        #expect(early.isEmpty && late.count == 3)
        let nothing = other.restore(Data("[]".utf8))
        #expect(nothing.isEmpty && other.next.isEmpty)
    }

    @Test func aFileKeepsTheReports() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("reports-\(UUID().uuidString)")
        let storage = FileReportStorage(url: file)
        #expect(try await storage.read() == nil)
        try await storage.write(Data([1]))
        #expect(try await storage.read() == Data([1]))
        try await storage.remove()
        try await storage.remove()
        #expect(try await storage.read() == nil)
    }
}
