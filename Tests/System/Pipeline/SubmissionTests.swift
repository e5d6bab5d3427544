import Foundation
import Logging
import Testing
import TidingsAMQP
import TidingsContracts
import TidingsCore
import TidingsMetrics
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Intents over HTTP, below the HTTP layer: the promised ids, and their way through broker and router.
@Suite struct SubmissionTests {
    @Test func thePromisedIDsBecomeTheNotifications() async throws {
        try await withPipeline { pipeline in
            try await withSubmission(pipeline) { submission, store in
                let events = [Self.event("o-1", to: ["a", "b"]), Self.event("o-2", to: ["c"])]
                let promised = try #require(await submission.submit(Self.request(events)).notifications)
                #expect(promised.map(\.recipient) == ["a", "b", "c"] && promised.map(\.eventID) == ["o-1", "o-1", "o-2"])
                for one in promised { #expect(try await store.reservations.notification(one.id, tenant: "default") != nil) }
                for id in ["o-1", "o-2"] { _ = try await pipeline.outcome(of: id) }
                for one in promised {
                    let row = try await pipeline.system.query(
                        "select recipient_id from tidings_ops.notifications where notification_id = \(one.id.description)::text::uuid"
                    ).rows.first
                    #expect(try row?.decode(String.self) == one.recipient)
                }
                // The caller had no answer and repeats the request.
                #expect(await submission.submit(Self.request(events)).notifications == promised)
                #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == 6 })
                #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == 3)
                try await pipeline.expectSound()
            }
        }
    }

    /// The event comes over AMQP and over HTTP, in both orders. It is one notification, and every id finds it.
    @Test func theSameEventOverBothDoors() async throws {
        try await withPipeline { pipeline in
            try await withSubmission(pipeline) { submission, store in
                await pipeline.publish(Self.event("first", to: ["a"]))
                _ = try await pipeline.outcome(of: "first")
                let later = try #require(await submission.submit(Self.request([Self.event("first", to: ["a"])])).notifications)
                #expect(try await pipeline.notificationID(of: "first") == later[0].id.description)

                let sooner = try #require(await submission.submit(Self.request([Self.event("second", to: ["a"])])).notifications)
                await pipeline.publish(Self.event("second", to: ["a"]))
                #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == 4 })
                let found = try #require(try await store.reservations.notification(sooner[0].id, tenant: "default"))
                #expect(found.record?.notification.idempotencyKey == "second")

                let other = await submission.submit(Self.request([Self.event("first", to: ["a"], title: "Other")]))
                guard case .conflict(later[0].id, pointer: "/0") = other else { throw UnexpectedResult(result: other) }
                #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == 2)
                #expect(try await pipeline.system.count("select count(*) from tidings_ops.rejected") == 0)
                try await pipeline.expectSound()
            }
        }
    }

    /// The broker has the same message three times, among new ones. Only its repetitions are duplicates.
    @Test func aRepeatedMessageChangesNothingElse() async throws {
        try await withPipeline { pipeline in
            let store = try await Self.store(of: pipeline)
            let id = store.clock.nextID()
            let header: [String: AMQPValue] = [QueueNames.idsHeader: Self.header(id), QueueNames.producerHeader: "key:shop"]
            for turn in 1...3 {
                await pipeline.publish(Array(Self.event("same", to: ["a"]).utf8), headers: header)
                await pipeline.publish(Self.event("new-\(turn)", to: ["b"]))
            }
            #expect(try await pipeline.system.eventually(Pipeline.takenQuery) { $0 == 6 })
            #expect(try await pipeline.notificationID(of: "same") == id.description)
            #expect(try await pipeline.system.count("select count(*) from tidings_ops.notifications") == 4)
            for event in ["same", "new-1", "new-2", "new-3"] { _ = try await pipeline.outcome(of: event) }

            // The id of an existing notification, by mistake. The event is refused, and its neighbour is not.
            await pipeline.publish(Array(Self.event("mistake", to: ["a"]).utf8), headers: header)
            await pipeline.publish(Self.event("neighbour", to: ["a"]))
            _ = try await pipeline.outcome(of: "neighbour")
            let isRefused = try await eventually {
                try await pipeline.system.count(
                    "select count(*) from tidings_ops.rejected where event_id = 'mistake' and reason_code = 'internalError'") == 1
            }
            #expect(isRefused, "\(pipeline.roles.errorsSoFar)")
            await store.close()
            try await pipeline.expectSound()
        }
    }

    @Test func nothingIsPublishedOfAnInvalidRequest() async throws {
        try await withPipeline { pipeline in
            try await withSubmission(pipeline) { submission, _ in
                let result = await submission.submit(
                    Self.request([Self.event("good", to: ["a"]), Self.event("bad", to: ["a"], tenant: "acme")]))
                guard case .invalid(let faults) = result else { throw UnexpectedResult(result: result) }
                #expect(faults.map(\.reason) == [.tenantForbidden] && faults.first?.pointer == "/1/data/tenant")
                #expect(try await pipeline.system.count("select count(*) from tidings.reservations") == 0)

                let named = await submission.submit(Self.request([Self.event("n-1", to: ["a"])], name: "order")).notifications
                #expect(named?.count == 1)
                let reused = await submission.submit(Self.request([Self.event("n-2", to: ["a"])], name: "order"))
                guard case .nameReused = reused else { throw UnexpectedResult(result: reused) }
                _ = try await pipeline.outcome(of: "n-1")
                #expect(try await pipeline.taken() == 1)
            }
        }
    }

    /// The catalogue no longer has the type. A caller who had no answer still learns that the notifications were sent.
    @Test func aReplayGetsTheOriginalAnswerWhateverChanged() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            let request = Self.request([Self.event("r-1", to: ["a", "b", "a"]), Self.event("r-2", to: ["c"])], name: "replay")
            let undecided = Self.request([Self.event("r-3", to: ["d"])], name: "undecided")
            var promised: [SubmittedNotification] = []
            try await withSubmission(pipeline) { submission, _ in
                promised = try #require(await submission.submit(request).notifications)
                #expect(promised.map(\.recipient) == ["a", "b", "c"])
            }
            for id in ["r-1", "r-2"] { _ = try await pipeline.outcome(of: id) }
            guard case .blocked = try await Self.submitWithoutBroker(undecided, in: system, reserving: 4) else {
                Issue.record("published without a broker")
                return
            }
            try await Pipeline.apply("types: {promotion: {category: marketing}}\n", to: system, "--remove")
            try await withSubmission(pipeline) { submission, store in
                #expect(await submission.submit(request).notifications == promised)
                var respelt = request
                respelt.contentType = "Application/JSON; charset=utf-8"
                #expect(await submission.submit(respelt).notifications == promised)
                // Nothing was published again: the routers have decided.
                #expect(try await pipeline.taken() == 3)

                // A router judges what never reached one.
                let late = try #require(await submission.submit(undecided).notifications)
                #expect(late.map(\.eventID) == ["r-3"])
                let isDecided = try await eventually {
                    let found = try await store.reservations.notification(late[0].id, tenant: "default")
                    return found.map { $0.promise?.state != .accepted } ?? false
                }
                #expect(isDecided)

                // Without its name, or under another name, the request is judged.
                for name in [nil, "other"] {
                    var judged = request
                    judged.name = name
                    guard case .invalid(let faults) = await submission.submit(judged) else {
                        Issue.record("a retired type was accepted")
                        return
                    }
                    #expect(faults.count == 2)
                }
            }
            #expect(try await system.count("select count(*) from tidings_ops.rejected where event_id <> 'r-3'") == 0)
        }
    }

    /// The broker is not there. The request is not accepted.
    @Test func anUnconfirmedRequestIsNotAccepted() async throws {
        try await withOwnSystem { system in
            let result = try await Self.submitWithoutBroker(Self.request([Self.event("o-1", to: ["a"])]), in: system)
            guard case .blocked = result else { throw UnexpectedResult(result: result) }
        }
    }

    /// The request asks for all that a tenant has at once. No time passes, so the allowance comes back only because the requests failed.
    @Test func aRequestThatFailsLeavesTheAllowanceOfItsTenant() async throws {
        try await withOwnSystem { system in
            let people = (0..<LaneAllowance.largestEvent).map { "p\($0)" }
            let events = LaneAllowance.perTenant.burst / LaneAllowance.largestEvent
            let request = Self.request((0..<events).map { Self.event("o-\($0)", to: people) })
            let metrics = Metrics(version: "test")
            let allowance = LaneAllowance(metrics: metrics, now: { Timestamp(seconds: 1_780_315_200) })
            for _ in 0..<3 {
                let result = try await Self.submitWithoutBroker(request, in: system, allowance: allowance)
                guard case .blocked = result else { throw UnexpectedResult(result: result) }
            }
            #expect(metrics.apiOverflow[.urgent].value == 0)
        }
    }

    /// The ids of a request are reserved, and its events are not published. The repetition of the request must not be taken for a duplicate:
    /// it publishes the events, under the reserved ids.
    @Test(arguments: [nil, "order"] as [String?])
    func aRepetitionPublishesWhatWasOnlyReserved(name: String?) async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            let request = Self.request([Self.event("o-1", to: ["a", "b"])], name: name)
            let refused = try await Self.submitWithoutBroker(request, in: system)
            guard case .blocked = refused else { throw UnexpectedResult(result: refused) }
            let reserved = try await system.query("select id::text from tidings.reservations").rows.map { try $0.decode(String.self) }
            #expect(reserved.count == 2)
            #expect(try await pipeline.taken() == 0)

            try await withSubmission(pipeline) { submission, _ in
                let promised = try #require(await submission.submit(request).notifications)
                #expect(Set(promised.map(\.id.description)) == Set(reserved))
            }
            #expect(try await system.eventually("select count(*) from tidings_ops.notifications where state = 'done'") { $0 == 2 })
            let decided = try await system.query("select notification_id::text from tidings_ops.notifications").rows
            #expect(Set(try decided.map { try $0.decode(String.self) }) == Set(reserved))
            #expect(try await system.count("select count(*) from tidings.inbox") == 2)
            #expect(try await pipeline.taken() == 2)
            try await pipeline.expectSound()
        }
    }
}

private struct UnexpectedResult: Error {
    let result: SubmissionResult
}

extension SubmissionResult {
    fileprivate var notifications: [SubmittedNotification]? {
        if case .accepted(let notifications) = self { notifications } else { nil }
    }
}

extension SubmissionTests {
    fileprivate static func store(of pipeline: Pipeline) async throws -> Store { try await store(of: pipeline.system) }

    fileprivate static func store(of system: TestSystem) async throws -> Store {
        let store = Store(try PostgresConfiguration(url: system.databaseURL), size: 3, name: "submission tests")
        try await store.open()
        return store
    }

    /// Submits a request whose events are never published. Its ids are reserved before.
    fileprivate static func submitWithoutBroker(
        _ request: SubmittedRequest, in system: TestSystem, reserving count: Int = 1, allowance: LaneAllowance? = nil
    ) async throws -> SubmissionResult {
        let store = try await Self.store(of: system)
        let away = try AMQPPublisher.make(
            configuration: try AMQPConfiguration(url: "amqp://nobody:nothing@127.0.0.1:1/none"), connectionName: "away")
        let submission = IntentSubmission(
            store: store, catalogues: try await CatalogueSource(store, builtIn: .builtIn), publisher: away, allowance: allowance,
            logger: Logger(label: "tests"))
        async let answer = submission.submit(request)
        #expect(try await system.eventually("select count(*) from tidings.reservations") { $0 >= count })
        await away.close()
        let result = await answer
        await store.close()
        return result
    }

    fileprivate static func request(_ events: [String], name: String? = nil) -> SubmittedRequest {
        let key = CallerKey(id: "0123456789abcdef", name: "shop", tenant: "default", scopes: [.intentsWrite])
        let body = Array("[\(events.joined(separator: ","))]".utf8)
        return SubmittedRequest(body: body, contentType: "application/json", name: name, key: key)
    }

    fileprivate static func event(_ id: String, to recipients: [String], title: String = "T", tenant: String = "default") -> String {
        let people = recipients.map { "\"\($0)\"" }.joined(separator: ",")
        let data = #"{"recipients":[\#(people)],"title":"\#(title)","tenant":"\#(tenant)"}"#
        return #"{"specversion":"1.0","id":"\#(id)","source":"/tests","type":"orderUpdate","data":\#(data)}"#
    }

    fileprivate static func header(_ id: NotificationID) -> AMQPValue {
        let shifts = stride(from: UInt64(0), to: 64, by: 8).reversed()
        return .bytes([id.high, id.low].flatMap { half in shifts.map { UInt8(truncatingIfNeeded: half >> $0) } })
    }
}

/// Runs `body` with a submission that publishes as the roles' own user.
private func withSubmission(_ pipeline: Pipeline, _ body: (IntentSubmission, Store) async throws -> Void) async throws {
    let store = try await SubmissionTests.store(of: pipeline)
    let publisher = try AMQPPublisher.make(
        configuration: try AMQPConfiguration(url: pipeline.system.amqpURL), connectionName: "submission tests")
    do {
        let submission = IntentSubmission(
            store: store, catalogues: try await CatalogueSource(store, builtIn: .builtIn), publisher: publisher,
            logger: Logger(label: "tests"))
        try await body(submission, store)
    } catch {
        await publisher.close()
        await store.close()
        throw error
    }
    await publisher.close()
    await store.close()
}
