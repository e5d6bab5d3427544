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
        let events = backlog.next(at: .zero)
        #expect(events.map(\.report) == [Self.event(1), Self.event(2)])
        backlog.accept(events)
        #expect(backlog.next(at: .zero).map(\.report) == [receipt])
    }

    /// A report waits for the pauses of all reports, of its kind, and of itself.
    @Test func aPauseHoldsUpOnlyItsReports() {
        let (first, second) = (Report.receipt(notificationId: "1", deviceId: "d"), Report.receipt(notificationId: "2", deviceId: "d"))
        var backlog = Self.backlog([first, second, Self.event(1)])
        func fail(_ scope: ReportPause.Scope, _ error: InboxError) {
            let batch = backlog.next(at: .zero)
            backlog.postpone(batch, scope, after: error, at: .zero, random: 1)
        }
        #expect(backlog.nextTime == .zero)
        fail(.receipt, .unavailable(retryAfter: 5))
        #expect(backlog.next(at: .zero).map(\.report) == [second])
        fail(.kind, .rateLimited(retryAfter: 2))
        #expect(backlog.next(at: .zero).map(\.report) == [Self.event(1)])
        fail(.all, .network(""))
        #expect(backlog.next(at: .zero).isEmpty && backlog.nextTime == .seconds(1))
        #expect(backlog.next(at: .seconds(1)).map(\.report) == [Self.event(1)])
        #expect(backlog.entries.map(\.report) == [first, second, Self.event(1)])
        #expect(backlog.next(at: .seconds(6)).map(\.report) == [first])
        backlog.endPauses()
        #expect(backlog.next(at: .zero).map(\.report) == [first])
    }

    @Test func aSuccessEndsTheCountOfFailedTries() {
        var backlog = Self.backlog([Self.event(1)])
        for pause in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            let batch = backlog.next(at: .seconds(1_000))
            backlog.postpone(batch, .all, after: .network(""), at: .zero, random: 1)
            #expect(backlog.nextTime == .seconds(pause))
        }
        let batch = backlog.next(at: .seconds(1_000))
        backlog.accept(batch)
        _ = backlog.add([Self.event(2)], at: Self.now)
        #expect(backlog.nextTime == .zero)
    }

    /// A failed try puts a report behind later ones. It is the oldest nevertheless.
    @Test func theOldestGoesWhateverTheOrderOfTheTries() {
        var backlog = Self.backlog([Self.event(0)])
        let batch = backlog.next(at: .zero)
        _ = backlog.add([Self.event(1)], at: Self.now.addingTimeInterval(1))
        backlog.postpone(batch, .all, after: .network(""), at: .zero, random: 0)
        let surplus = backlog.add((2...ReportBacklog.maximumReports).map(Self.event), at: Self.now.addingTimeInterval(2))
        #expect(surplus == [Self.event(0)])
    }

    @Test func aRefusedRequestIsHalved() {
        var backlog = Self.backlog((0..<60).map(Self.event))
        #expect(backlog.next(at: .zero).count == ReportBacklog.maximumEvents)
        for half in [25, 12, 6, 3, 1, 1] {
            let batch = backlog.next(at: .zero)
            backlog.narrow(batch)
            #expect(backlog.next(at: .zero).count == half)
        }
        let batch = backlog.next(at: .zero)
        backlog.accept(batch)
        #expect(backlog.next(at: .zero).count == ReportBacklog.maximumEvents)
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
        #expect(nothing.isEmpty && other.nextTime == nil)
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
