import Testing
import TidingsContracts
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The transaction that records reports of providers.
@Suite struct ReportTests {
    private static let provider = "phone"

    @Test func aReportMovesASentDeliveryOnce() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1)[0]
            let report = scene.report(key, .delivered, "e-1")
            #expect(try await scene.store.reports.record([report], from: Self.provider) == [.applied])
            #expect(try await scene.end(of: key) == "delivered delivered")
            #expect(try await scene.store.reports.record([report], from: Self.provider) == [.repeated])
            // The same statement under another key tells nothing new.
            #expect(try await scene.store.reports.record([scene.report(key, .engaged, "e-2")], from: Self.provider) == [.kept])
            #expect(try await scene.count("select count(*) from tidings.reports") == 2)
            #expect(try await scene.isSound())
        }
    }

    /// Swift calls the keys equal. A provider that names two reports so means two.
    @Test func keysAreComparedByBytes() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1)[0]
            let reports = ["e-\u{e9}", "e-e\u{301}", "e-\u{e9}"].map { scene.report(key, .delivered, $0) }
            #expect(try await scene.store.reports.record(reports, from: Self.provider) == [.applied, .kept, .repeated])
        }
    }

    @Test func aLateReportMovesNothingBack() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1)[0]
            let failed = DeliveryReport.Outcome.failed(.providerRejected, endpointGone: false)
            let reports = [scene.report(key, .delivered, "1"), scene.report(key, failed, "2"), scene.report(key, .engaged, "3")]
            #expect(try await scene.store.reports.record(reports, from: Self.provider) == [.applied, .kept, .kept])
            #expect(try await scene.end(of: key) == "delivered delivered")
            #expect(try await scene.store.reports.record([scene.report(key, failed, "4")], from: Self.provider) == [.kept])
            #expect(try await scene.end(of: key) == "delivered delivered")
            #expect(try await scene.isSound())
        }
    }

    /// The provider accepted the message and found out later that nobody has the address.
    @Test func aLateFailureEndsASentDelivery() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1)[0]
            let failed = DeliveryReport.Outcome.failed(.timeout, endpointGone: false)
            #expect(try await scene.store.reports.record([scene.report(key, failed, "1")], from: Self.provider) == [.applied])
            #expect(try await scene.end(of: key) == "failed timeout")
            #expect(try await scene.store.reports.record([scene.report(key, failed, "2")], from: Self.provider) == [.kept])
            #expect(try await scene.isSound())
            // The first call of the delivery is not forgotten.
            #expect(try await scene.count("select count(*) from tidings_ops.attempts where outcome = 'accepted' and attempt = 1") == 1)
            #expect(try await scene.store.operations.retry(key))
            #expect(try await scene.store.reports.record([scene.report(key, .delivered, "3")], from: Self.provider) == [.early])
            #expect(try await scene.isSound())
        }
    }

    /// The reports of a failure and of the arrival come in either order, in one request or in two. The end is the same.
    @Test(arguments: [true, false]) func anArrivalCountsAfterAReportedFailure(isFailureFirst: Bool) async throws {
        try await StoreScene.with { scene in
            for (first, areTogether) in [(1, false), (11, true)] {
                let key = try await scene.sent(1, from: first)[0]
                let failure = scene.report(key, .failed(.timeout, endpointGone: false), "f")
                let arrival = scene.report(key, .engaged, "a")
                let reports = isFailureFirst ? [failure, arrival] : [arrival, failure]
                var results: [ReportResult] = []
                for part in areTogether ? [reports] : reports.map({ [$0] }) {
                    results += try await scene.store.reports.record(part, from: Self.provider)
                }
                #expect(results == [.applied, isFailureFirst ? .applied : .kept], "\(areTogether)")
                #expect(try await scene.end(of: key) == "delivered delivered")
            }
            let others: SQL = "select coalesce(sum(n), 0)::bigint from tidings.tally where kind = 'ended' and state <> 'delivered'"
            #expect(try await scene.count(others) == 0)
            #expect(try await scene.isSound())
        }
    }

    /// Two reports move the delivery, and its history has the end of the call once.
    @Test(arguments: [(DeliveryState.sent, ReasonCode.accepted), (.failed, .outcomeUnknown)])
    func theEndOfACallIsToldOnce(state: DeliveryState, reason: ReasonCode) async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1, as: (state, reason))[0]
            let reports: [(DeliveryReport.Outcome, ReportResult)] = [
                (.failed(.outcomeUnknown, endpointGone: false), .kept), (.failed(.timeout, endpointGone: false), .applied),
                (.delivered, .applied),
            ]
            for (number, (outcome, result)) in reports.enumerated() {
                #expect(try await scene.store.reports.record([scene.report(key, outcome, "\(number)")], from: Self.provider) == [result])
            }
            #expect(try await scene.end(of: key) == "delivered delivered")
            let ends = try await scene.system.query("select state || ' ' || reason from tidings.ends_of_calls").rows
            #expect(try ends.map { try $0.decode(String.self) } == ["\(state.rawValue) \(reason.rawValue)"])
            #expect(try await scene.isSound())
        }
    }

    /// An operator sends the delivery again, and the provider refuses the call. The failure is then no longer that of the report.
    @Test func aReportedFailureIsForgottenAfterAnotherCall() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1)[0]
            let failed = DeliveryReport.Outcome.failed(.timeout, endpointGone: false)
            #expect(try await scene.store.reports.record([scene.report(key, failed, "1")], from: Self.provider) == [.applied])
            _ = try await scene.system.query("update tidings.deliveries set attempts = attempts + 1, reason = 'providerRejected'")
            #expect(try await scene.store.reports.record([scene.report(key, .delivered, "2")], from: Self.provider) == [.kept])
            #expect(try await scene.end(of: key) == "failed providerRejected")
        }
    }

    /// The text was started because both pushes had failed. When it ends, the arrival of a push ends the escalation.
    @Test func anEscalationEndsAfterALateArrival() async throws {
        try await StoreScene.with { scene in
            let failed = DeliveryReport.Outcome.failed(.timeout, endpointGone: false)
            let keys = try await scene.sentEscalation()
            for key in keys { _ = try await scene.store.reports.record([scene.report(key, failed, "1")], from: Self.provider) }
            _ = try await scene.store.outbox.resumeEscalations()
            #expect(try await scene.store.reports.record([scene.report(keys[0], .delivered, "2")], from: Self.provider) == [.applied])
            #expect(try await scene.places(keys[0].notificationID) == ["delivered", "failed", "held", "held", "escalation"])
            let packs = try await scene.release().packs
            try await scene.claim(packs, worker: "w")
            try await scene.settle(packs, as: (.failed, .providerRejected))
            #expect(try await scene.places(keys[0].notificationID) == ["delivered", "failed", "failed", "failed", "closed"])
            #expect(try await scene.isSound())
        }
    }

    @Test func anUnknownOutcomeGetsTheReportedOne() async throws {
        try await StoreScene.with { scene in
            let failed = DeliveryReport.Outcome.failed(.providerRejected, endpointGone: false)
            for (position, (outcome, end)) in [
                (DeliveryReport.Outcome.delivered, "delivered delivered"), (failed, "failed providerRejected"),
            ]
            .enumerated() {
                let key = try await scene.sent(1, from: position * 10 + 1, as: (.failed, .outcomeUnknown))[0]
                #expect(try await scene.store.reports.record([scene.report(key, outcome, "1")], from: Self.provider) == [.applied])
                #expect(try await scene.end(of: key) == end)
            }
            let refused = try await scene.sent(1, from: 31, as: (.failed, .providerRejected))[0]
            #expect(try await scene.store.reports.record([scene.report(refused, .delivered, "1")], from: Self.provider) == [.kept])
            #expect(try await scene.end(of: refused) == "failed providerRejected")
            #expect(try await scene.isSound())
        }
    }

    /// The provider is faster than the worker's own write.
    @Test func aReportBeforeTheEndIsEarly() async throws {
        try await StoreScene.with { scene in
            let packs = try await scene.take(1...1).packs
            try await scene.claim(packs, worker: "w")
            let key = packs[0].entries[0].key
            #expect(try await scene.store.reports.record([scene.report(key, .delivered, "1")], from: Self.provider) == [.early])
            #expect(try await scene.count("select count(*) from tidings.reports") == 0)
            try await scene.settle(packs, as: (.sent, .accepted))
            #expect(try await scene.store.reports.record([scene.report(key, .delivered, "1")], from: Self.provider) == [.applied])
        }
    }

    @Test func onlyItsOwnDeliveriesAreKnownToAProvider() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1)[0]
            #expect(try await scene.store.reports.record([scene.report(key, .delivered, "1")], from: "other") == [.unknown])
            let strange = [
                scene.report(DeliveryKey(key.notificationID, 1), .delivered, "1"),
                scene.report(DeliveryKey(scene.store.clock.nextID(), 0), .delivered, "1"),
                DeliveryReport(nil, .delivered, key: "1"), DeliveryReport(.message("m"), .delivered, key: "1"),
                scene.report(key, .ignored, "1"),
            ]
            #expect(
                try await scene.store.reports.record(strange, from: Self.provider) == [.unknown, .unknown, .unknown, .unknown, .ignored])
            #expect(try await scene.end(of: key) == "sent accepted")
            #expect(try await scene.count("select count(*) from tidings.reports") == 0)
        }
    }

    /// Two devices, of which both got the push as far as the provider knew. Then it reports that neither did.
    @Test func anEscalationGoesOnWhenEveryPushHasFailedAfterAll() async throws {
        try await StoreScene.with { scene in
            let failed = DeliveryReport.Outcome.failed(.timeout, endpointGone: false)
            let keys = try await scene.sentEscalation()
            #expect(try await scene.places(keys[0].notificationID) == ["sent", "sent", "closed", "closed", "closed"])
            #expect(try await scene.store.reports.record([scene.report(keys[0], failed, "1")], from: Self.provider) == [.applied])
            #expect(try await scene.store.outbox.resumeEscalations() == 1)
            #expect(try await scene.places(keys[0].notificationID) == ["failed", "sent", "closed", "closed", "closed"])
            // The report comes twice at once. The step is taken once.
            let report = [scene.report(keys[1], failed, "1")]
            async let first = scene.store.reports.record(report, from: Self.provider)
            async let second = scene.store.reports.record(report, from: Self.provider)
            let results = try await [first, second].flatMap { $0 }
            #expect(Set(results) == [.applied, .repeated])
            #expect(try await scene.places(keys[0].notificationID) == ["failed", "failed", "closed", "closed", "closed"])
            async let third = scene.store.outbox.resumeEscalations()
            async let fourth = scene.store.outbox.resumeEscalations()
            let turns = try await [third, fourth]
            #expect(turns.sorted() == [0, 1])
            #expect(try await scene.store.outbox.resumeEscalations() == 0)
            #expect(try await scene.places(keys[0].notificationID) == ["failed", "failed", "held", "held", "escalation"])
            #expect(
                try await scene.count("select count(*) from tidings.due where endpoint in ('c', 'd') and due_at <= tidings.clock()") == 2)
            #expect(try await scene.isSound())

            // The next channel takes its turn as usual, and reaches the person.
            let packs = try await scene.release().packs
            #expect(packs.flatMap(\.entries).map(\.attempt) == [1, 1])
            try await scene.claim(packs, worker: "w")
            try await scene.settle(packs, as: (.sent, .accepted))
            #expect(try await scene.places(keys[0].notificationID) == ["failed", "failed", "sent", "sent", "closed"])
            #expect(try await scene.isSound())
        }
    }

    /// The first push is told as failed while the second is on its way. The later channels wait for the second.
    @Test func anEscalationWaitsForThePushThatIsOnItsWay() async throws {
        try await StoreScene.with { scene in
            let packs = try await scene.takeEscalation()
            try await scene.claim(packs, worker: "w")
            let entries = packs.flatMap(\.entries)
            try await scene.settle(packs, only: entries[0], as: (.sent, .accepted), isLast: false)
            let id = entries[0].notificationID
            #expect(try await scene.places(id) == ["sent", "pack", "closed", "closed", "closed"])
            let failed = scene.report(entries[0].key, .failed(.timeout, endpointGone: false), "1")
            #expect(try await scene.store.reports.record([failed], from: Self.provider) == [.applied])
            #expect(try await scene.store.outbox.resumeEscalations() == 1)
            #expect(try await scene.places(id) == ["failed", "pack", "escalation", "escalation", "escalation"])
            try await scene.settle(packs, only: entries[1], as: (.failed, .providerRejected), isLast: true)
            #expect(try await scene.places(id) == ["failed", "failed", "held", "held", "escalation"])
            #expect(try await scene.isSound())
        }
    }

    /// A cancelled notification stays cancelled, and one with a single stage has no next channel.
    @Test func nothingGoesOnAfterACancelOrWithoutEscalation() async throws {
        try await StoreScene.with { scene in
            let failed = DeliveryReport.Outcome.failed(.timeout, endpointGone: false)
            let packs = try await scene.takeEscalation()
            try await scene.claim(packs, worker: "w")
            let entries = packs.flatMap(\.entries)
            try await scene.settle(packs, only: entries[0], as: (.sent, .accepted), isLast: false)
            try await scene.settle(packs, only: entries[1], as: (.cancelled, .cancelledByProducer), isLast: true)
            #expect(try await scene.store.reports.record([scene.report(entries[0].key, failed, "1")], from: Self.provider) == [.applied])
            #expect(try await scene.store.outbox.resumeEscalations() == 1)
            #expect(try await scene.places(entries[0].notificationID) == ["failed", "cancelled", "closed", "closed", "closed"])

            let single = try await scene.sent(1, from: 50)[0]
            #expect(try await scene.store.reports.record([scene.report(single, failed, "1")], from: Self.provider) == [.applied])
            #expect(try await scene.store.outbox.resumeEscalations() == 0)
            #expect(try await scene.places(single.notificationID) == ["failed"])
            #expect(try await scene.isSound())
        }
    }

    /// A provider serves every tenant. The delivery counts for its own tenant.
    @Test func aDeliveryOfAnotherTenantIsCountedThere() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1, tenant: "acme")[0]
            #expect(try await scene.store.reports.record([scene.report(key, .delivered, "1")], from: Self.provider) == [.applied])
            #expect(
                try await scene.count(
                    "select coalesce(sum(n), 0)::bigint from tidings.tally where kind = 'ended' and tenant = 'acme' and state = 'delivered'"
                )
                    == 1)
            #expect(
                try await scene.count("select coalesce(sum(n), 0)::bigint from tidings.tally where kind = 'ended' and state = 'sent'") == 0)
            #expect(try await scene.isSound())
        }
    }

    @Test func anEndpointThatIsGoneIsNotUsedAgain() async throws {
        try await StoreScene.with { scene in
            let keys = try await scene.sent(2)
            _ = try await scene.system.query("update tidings.deliveries set endpoint = 'device'")
            _ = try await scene.system.query(
                """
                insert into tidings.endpoints (tenant, recipient_id, id, channel, address, changed_at, registered_at)
                select 'default', 'person-' || n, 'device', 'push', 'token-' || n, tidings.clock(),
                    tidings.clock() + make_interval(hours => n - 2) from generate_series(1, 2) n
                """)
            let gone = DeliveryReport.Outcome.failed(.endpointGone, endpointGone: true)
            var reports = keys.map { scene.report($0, gone, "1") }
            // The provider speaks of a time before the second device was registered anew.
            reports[1].at = scene.store.clock.now().adding(.seconds(-7_200))
            #expect(try await scene.store.reports.record(reports, from: Self.provider) == [.applied, .applied])
            let left = try await scene.system.query("select recipient_id from tidings.endpoints where gone_at is null").rows
            #expect(try left.map { try $0.decode(String.self) } == ["person-2"])
            #expect(try await scene.count("select count(*) from tidings.endpoints where gone_reason = 'endpointGone'") == 1)
        }
    }

    @Test func theTimelineTellsTheReportAndItsTime() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1)[0]
            let time = Timestamp(seconds: 1_767_225_600)
            var (first, late) = (scene.report(key, .delivered, "1"), scene.report(key, .failed(.timeout, endpointGone: false), "2"))
            (first.at, late.at) = (time, nil)
            _ = try await scene.store.reports.record([first], from: Self.provider)
            _ = try await scene.store.reports.record([late], from: Self.provider)
            let rows = try await scene.store.operations.explain(key.notificationID).map {
                [$0.actor, $0.verdict, $0.reasonCode ?? "", $0.detail ?? ""]
            }
            #expect(rows.contains(["deliver", "attempt 1", "accepted", "accepted"]), "\(rows)")
            #expect(rows.contains(["deliver", "sent", "accepted", "phone"]), "\(rows)")
            #expect(rows.contains(["provider", "delivered", "delivered", "phone reports delivered at 2026-01-01T00:00:00Z"]), "\(rows)")
            #expect(rows.contains(["provider", "reported", "timeout", "phone reports failed; the delivery stays delivered"]), "\(rows)")
        }
    }

    @Test func aMessageIDFindsItsDelivery() async throws {
        try await StoreScene.with { scene in
            let keys = try await scene.sent(2, isReportedByMessageID: true)
            #expect(try await scene.count("select count(*) from tidings.message_references where provider = 'phone'") == 2)
            let report = DeliveryReport(.message("m-\(keys[1])"), .delivered, key: "1")
            #expect(try await scene.store.reports.record([report], from: "other") == [.unknown])
            #expect(try await scene.store.reports.record([report], from: Self.provider) == [.applied])
            #expect(try await scene.end(of: keys[0]) == "sent accepted")
            #expect(try await scene.end(of: keys[1]) == "delivered delivered")
            #expect(try await scene.store.reports.pruneMessageReferences(retention: .seconds(86_400)) == false)
            #expect(try await scene.store.reports.pruneMessageReferences(retention: .seconds(-60)))
            #expect(try await scene.count("select count(*) from tidings.message_references") == 0)
        }
    }

    /// The provider reports before the worker has written the message's id. Another system sends through the same account.
    @Test func aReportOfAMessageWaitsForItsDelivery() async throws {
        try await StoreScene.with { scene in
            let packs = try await scene.take(1...4).packs
            try await scene.claim(packs, worker: "w")
            let keys = packs.flatMap(\.entries).map(\.key)
            let outcomes: [DeliveryReport.Outcome] = [
                .delivered, .engaged, .failed(.timeout, endpointGone: false), .failed(.endpointGone, endpointGone: true),
            ]
            let time = Timestamp(seconds: 1_767_225_600)
            var reports = zip(keys, outcomes).map { DeliveryReport(.message("m-\($0)"), $1, at: time, key: "1") }
            reports.append(DeliveryReport(.message("foreign"), .delivered, key: "1"))
            reports.append(DeliveryReport(.message("m-\(keys[0])"), .ignored, key: "2"))
            reports.append(scene.report(keys[0], .delivered, "3"))
            for _ in 1...2 { try await scene.store.reports.keepEarly(reports, from: Self.provider) }
            try await scene.store.reports.keepEarly([reports[0]], from: "other")
            #expect(try await scene.count("select count(*) from tidings.early_reports") == 6)
            #expect(try await scene.store.reports.recordEarly().isEmpty)

            try await scene.settle(packs, as: (.sent, .accepted), isReportedByMessageID: true)
            let recorded = try await scene.store.reports.recordEarly()
            #expect(recorded.count == 4 && recorded.allSatisfy { $0.provider == Self.provider && $0.result == .applied }, "\(recorded)")
            var ends: [String] = []
            for key in keys { ends.append(try await scene.end(of: key)) }
            #expect(ends == ["delivered delivered", "delivered delivered", "failed timeout", "failed endpointGone"])
            #expect(try await scene.count("select count(*) from tidings.reports where told_at = '2026-01-01T00:00:00Z'") == 4)

            #expect(try await scene.store.reports.recordEarly().isEmpty)
            try await scene.store.upkeep.shiftClock(by: Store.earlyReportsKept + .seconds(5))
            let forgotten = try await scene.store.reports.recordEarly()
            #expect(Set(forgotten.map(\.provider)) == ["other", Self.provider] && forgotten.allSatisfy { $0.result == .unknown })
            #expect(try await scene.count("select count(*) from tidings.early_reports") == 0)
            #expect(try await scene.isSound())
        }
    }

    /// Releasers take turns at once. Each report is recorded once.
    @Test func turnsAtOnceRecordEachWaitingReportOnce() async throws {
        try await StoreScene.with { scene in
            let keys = try await scene.sent(20, isReportedByMessageID: true)
            try await scene.store.reports.keepEarly(
                keys.map { DeliveryReport(.message("m-\($0)"), .delivered, key: "1") }, from: Self.provider)
            let results = try await withThrowingTaskGroup(of: [ReportResult].self) { group in
                for _ in 0..<3 {
                    // Awaited by the line below.
                    group.addTask { try await scene.store.reports.recordEarly().map(\.result) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(results == Array(repeating: .applied, count: 20), "\(results)")
            #expect(try await scene.count("select count(*) from tidings.reports") == 20)
            #expect(try await scene.isSound())
        }
    }

    /// No releaser ran for minutes, and more reports wait than one turn records. Only the report of another system is dropped.
    @Test func aReportOfAKnownMessageOutlivesAPauseOfTheReleasers() async throws {
        try await StoreScene.with { scene in
            let count = Int(Store.earlyReportBatch) + 20
            let keys = try await scene.sent(count, isReportedByMessageID: true)
            let reports = keys.map { DeliveryReport(.message("m-\($0)"), .delivered, key: "1") }
            try await scene.store.reports.keepEarly(
                reports + [DeliveryReport(.message("foreign"), .delivered, key: "1")], from: Self.provider)
            try await scene.store.upkeep.shiftClock(by: Store.earlyReportsKept * 5)
            var results: [ReportResult] = []
            while case let turn = try await scene.store.reports.recordEarly(), !turn.isEmpty { results += turn.map(\.result) }
            #expect(results.count { $0 == .applied } == count && results.count { $0 == .unknown } == 1 && results.count == count + 1)
            #expect(try await scene.count("select count(*) from tidings.early_reports") == 0)
            #expect(try await scene.isSound())
        }
    }

    /// The delivery waits for another attempt, so its report cannot be recorded. It does not wait for ever.
    @Test func aReportOfADeliveryThatDoesNotEndIsDropped() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.take(1...1).packs.flatMap(\.entries)[0].key
            _ = try await scene.system.query(
                """
                insert into tidings.message_references (provider, reference, notification_id, ordinal)
                values (\(Self.provider), 'm-1', \(key.notificationID.description)::text::uuid, \(Int16(key.ordinal)))
                """)
            try await scene.store.reports.keepEarly([DeliveryReport(.message("m-1"), .delivered, key: "1")], from: Self.provider)
            #expect(try await scene.store.reports.recordEarly().isEmpty)
            try await scene.store.upkeep.shiftClock(by: Store.earlyReportsKept + .seconds(5))
            #expect(try await scene.store.reports.recordEarly().map(\.result) == [.early])
            #expect(try await scene.count("select count(*) from tidings.early_reports") == 0)
        }
    }

    /// The delivery waited for longer than the retention. The provider reports about it after it was sent.
    @Test func aMessageThatWasSentLateKeepsItsReference() async throws {
        let day = Duration.seconds(86_400)
        try await StoreScene.with { scene in
            let key = try await scene.sent(1, isReportedByMessageID: true)[0]
            try await scene.store.upkeep.shiftClock(by: day * 40)
            _ = try await scene.system.query("update tidings.deliveries set ended_at = tidings.clock()")
            try await scene.store.upkeep.shiftClock(by: day * 69)
            #expect(try await scene.store.reports.pruneMessageReferences(retention: day * 30) == false)
            let report = DeliveryReport(.message("m-\(key)"), .delivered, key: "1")
            #expect(try await scene.store.reports.record([report], from: Self.provider) == [.applied])
            try await scene.store.upkeep.shiftClock(by: day * 71)
            #expect(try await scene.store.reports.pruneMessageReferences(retention: day * 30))
            #expect(try await scene.count("select count(*) from tidings.message_references") == 0)
        }
    }

    /// Reports of the same deliveries at the same time, in two orders: each is recorded once, and nothing deadlocks.
    @Test func reportsAtOnceAreRecordedOnce() async throws {
        try await StoreScene.with { scene in
            let keys = try await scene.sent(20)
            let reports = keys.map { scene.report($0, .delivered, "1") }
            let results = try await withThrowingTaskGroup(of: [ReportResult].self) { group in
                for turn in 0..<6 {
                    // Awaited by the loop below.
                    group.addTask {
                        try await scene.store.reports.record(turn % 2 == 0 ? reports : reports.reversed(), from: Self.provider)
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(results.count { $0 == .applied } == 20 && results.count { $0 == .repeated } == 100, "\(results)")
            #expect(try await scene.isSound())
        }
    }

    @Test func aDroppedDayTakesItsReportsWithIt() async throws {
        try await StoreScene.with { scene in
            let key = try await scene.sent(1)[0]
            _ = try await scene.store.reports.record([scene.report(key, .delivered, "1")], from: Self.provider)
            try await scene.store.upkeep.shiftClock(by: .seconds(40 * 86_400))
            _ = try await scene.store.upkeep.tendPartitions(retention: .seconds(30 * 86_400))
            #expect(try await scene.count("select count(*) from tidings.reports") == 0)
            #expect(try await scene.store.reports.record([scene.report(key, .delivered, "2")], from: Self.provider) == [.unknown])
        }
    }
}

extension StoreScene {
    fileprivate func report(_ key: DeliveryKey, _ outcome: DeliveryReport.Outcome, _ name: String) -> DeliveryReport {
        DeliveryReport(.delivery(key.notificationID, ordinal: key.ordinal), outcome, key: name)
    }

    /// Takes intents, and ends their deliveries as a worker does.
    fileprivate func sent(
        _ count: Int, from first: Int = 1, tenant: String = Intent.defaultTenant, as end: (DeliveryState, ReasonCode) = (.sent, .accepted),
        isReportedByMessageID: Bool = false
    ) async throws -> [DeliveryKey] {
        let intents = (first..<(first + count)).map { number in
            var decoded = Self.intent(number)
            decoded.intent.tenant = tenant
            return decoded
        }
        let packs = try await take(claims(intents)).packs
        try await claim(packs, worker: "w")
        try await settle(packs, as: end, isReportedByMessageID: isReportedByMessageID)
        return packs.flatMap(\.entries).map(\.key)
    }

    fileprivate func settle(
        _ packs: [Pack], as end: (state: DeliveryState, reason: ReasonCode), isReportedByMessageID: Bool = false
    ) async throws {
        let now = store.clock.now()
        let settled = packs.map { pack in
            PackSettlement(
                pack,
                pack.entries.map { entry in
                    Settlement(
                        entry, exit: .ended(end.state, end.reason), providerMessageID: "m-\(entry.key)",
                        isReportedByMessageID: isReportedByMessageID,
                        attempt: AttemptRecord(
                            outcome: end.state == .sent ? "accepted" : "unknown", reason: end.reason, startedAt: now, finishedAt: now))
                }, claimedAt: .distantPast, isLast: true)
        }
        try await store.outbox.settle(settled, worker: "w")
    }

    /// Takes a critical intent: a push to two devices, then a text to two numbers, then the inbox.
    fileprivate func takeEscalation() async throws -> [Pack] {
        var decoded = Self.intent(1)
        decoded.intent.critical = true
        let asked = claims([decoded])
        let result: IntakeResult = try await store.intake { intake in
            guard let claimed = try await intake.claim(asked, zones: zones) else { return IntakeResult() }
            var write = IntakeWrite(catalogue: catalogue, refused: [], now: claimed.now)
            let now = Self.send(claimed.now)
            let planned = [
                PlannedDelivery(channel: .push, provider: "phone", endpoint: "a", verdict: now),
                PlannedDelivery(channel: .push, provider: "phone", endpoint: "b", verdict: now),
                PlannedDelivery(channel: .sms, provider: "text", endpoint: "c", verdict: .awaitEscalation),
                PlannedDelivery(channel: .sms, provider: "text", endpoint: "d", verdict: .awaitEscalation),
                PlannedDelivery(channel: .inApp, provider: "inbox", verdict: .awaitEscalation),
            ]
            for one in claimed.all {
                write.accept(
                    one,
                    routed: RoutedIntent(
                        decision: Decision(strategy: .escalate, deliveries: planned), category: .transactional, lane: .urgent,
                        expiresAt: claimed.now.adding(.seconds(86_400))))
            }
            return try await intake.write(write)
        }
        return result.packs
    }

    /// Sends both pushes of an escalation. Returns their keys.
    fileprivate func sentEscalation() async throws -> [DeliveryKey] {
        let packs = try await takeEscalation()
        try await claim(packs, worker: "w")
        try await settle(packs, as: (.sent, .accepted))
        return packs.flatMap(\.entries).map(\.key)
    }

    /// Ends one delivery of a pack, and leaves the others to the worker.
    fileprivate func settle(
        _ packs: [Pack], only entry: PackEntry, as end: (state: DeliveryState, reason: ReasonCode), isLast: Bool
    ) async throws {
        let now = store.clock.now()
        let outcome = end.state == .sent ? "accepted" : "rejected"
        let attempt = AttemptRecord(outcome: outcome, reason: end.reason, startedAt: now, finishedAt: now)
        let settlement = Settlement(
            entry, exit: .ended(end.state, end.reason), providerMessageID: nil, isReportedByMessageID: false, attempt: attempt)
        try await store.outbox.settle([PackSettlement(packs[0], [settlement], claimedAt: .distantPast, isLast: isLast)], worker: "w")
    }

    /// The place of each delivery: its state, `closed` for one that was not needed, the kind of its wait, or `pack`.
    fileprivate func places(_ id: NotificationID) async throws -> [String] {
        try await system.query(
            """
            select coalesce(case when d.reason = 'escalationNotNeeded' then 'closed' else d.state end, w.kind, 'pack')
            from tidings.notifications n cross join lateral generate_series(0, n.planned - 1) as m(ordinal)
            left join tidings.deliveries d on d.notification_id = n.id and d.ordinal = m.ordinal
            left join tidings.due w on w.notification_id = n.id and w.ordinal = m.ordinal
            where n.id = \(id.description)::text::uuid order by m.ordinal
            """
        ).rows.map { try $0.decode(String.self) }
    }

    /// State and reason of a delivery.
    fileprivate func end(of key: DeliveryKey) async throws -> String {
        let rows = try await system.query(
            """
            select state || ' ' || reason from tidings.deliveries
            where notification_id = \(key.notificationID.description)::uuid and ordinal = \(Int16(key.ordinal))
            """
        ).rows
        return try rows.first?.decode(String.self) ?? ""
    }

    /// Whether every delivery is accounted for.
    fileprivate func isSound() async throws -> Bool {
        let unaccounted = try await count("select count(*) from tidings_ops.unaccounted")
        let problems = try await store.operations.audit()
        return unaccounted == 0 && problems.isEmpty
    }
}
