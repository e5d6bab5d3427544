import Foundation
import TidingsInbox

/// One case of `cases.json`; `README.md` beside it describes the format.
struct InboxCase: Sendable {
    let name: String
    let given: CaseValue
    let steps: [CaseValue]

    /// The cases of the file, expanded.
    static func all(in data: Data) throws -> [InboxCase] {
        let table = try JSONDecoder().decode(CaseValue.self, from: data)
        let fixtures = table["fixtures"]?.members ?? [:]
        return (table["cases"]?.elements ?? []).map { entry in
            let given = (table["defaults"]?.members ?? [:]).merging(entry["given"]?.members ?? [:]) { $1 }
            return InboxCase(
                name: entry["name"]?.text ?? "", given: CaseValue.object(given).expanded(with: fixtures),
                steps: (entry["steps"]?.elements ?? []).map { $0.expanded(with: fixtures) })
        }
    }
}

/// Plays a case against the library.
final class CaseRunner {
    private let executor = StepExecutor()
    private let clock: SteppedClock
    private let server: CaseServer
    private let cache: CaseCache
    private let client: InboxClient
    private let store: InboxStore
    private let likes: LikesStore
    private let queue: ReportQueue
    private let results = CaseResults()

    init(_ given: CaseValue) {
        let start = given["now"]?.text.flatMap { try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse($0) }
        let clock = SteppedClock(start: start ?? Date(timeIntervalSince1970: 0))
        let random = given["random"]?.number ?? 0.5
        let tokens = CaseTokens(given["tokens"]?.elements.compactMap(\.text) ?? ["token"])
        let pageSize = Int(given["pageSize"]?.number ?? 20)
        self.clock = clock
        server = CaseServer(tokens: tokens)
        cache = CaseCache(given["cacheText"]?.text.map { Data($0.utf8) } ?? given["cache"]?.data)
        client = InboxClient(
            baseURL: URL(fileURLWithPath: "/"), tokens: tokens, transport: server,
            environment: InboxEnvironment(
                now: { clock.now }, elapsed: { clock.elapsed }, sleep: { try await clock.sleep($0) }, random: { random }))
        store = InboxStore(client: client, cache: cache, pageSize: pageSize)
        likes = LikesStore(client: client, pageSize: pageSize)
        queue = ReportQueue(client: client)
    }

    /// Returns where the library differs from the case.
    func run(_ steps: [CaseValue]) -> [String] {
        let (store, queue, results) = (self.store, self.queue, self.results)
        let running = [
            Task(executorPreference: executor) { await store.run() },
            Task(executorPreference: executor) { await queue.run() },
            Task(executorPreference: executor) {
                for await failure in await queue.failures() { results.givenUp += failure.reports.count }
            },
        ]
        defer {
            for task in running { task.cancel() }
            executor.drain()
        }
        for (index, step) in steps.enumerated() {
            server.expect(step["exchanges"]?.elements ?? [])
            perform(step)
            executor.drain()
            var problems = server.takeProblems()
            if let expected = step["expect"] { problems += expected.differences(from: state) }
            if !problems.isEmpty { return problems.map { "step \(index + 1) (\(step["do"]?.text ?? "")): \($0)" } }
        }
        return []
    }

    /// Starts a call on the executor of the case. A call that waits for a held answer stays open.
    private func call(_ body: @escaping @Sendable () async throws -> Void) {
        _ = Task(executorPreference: executor) { try? await body() }
    }

    private func perform(_ step: CaseValue) {
        let (store, client, likes, queue, results) = (store, client, likes, queue, results)
        let id = step["id"]?.text ?? ""
        switch step["do"]?.text {
        case "look": break
        case "advance": clock.advance(.seconds(step["seconds"]?.number ?? 0)) { executor.drain() }
        case "release": server.release(step["held"]?.text ?? "")
        case "text": server.sendOnStream(step["text"]?.text ?? "")
        case "event": server.sendOnStream(Self.event(step))
        case "endStream": server.endStream()
        case "parsePush":
            let payload = PushPayload.parse(json: step["payload"]?.data ?? Data())
            call { results.push = await queue.receive(push: payload) }
        case "report":
            guard let events = try? JSONDecoder().decode([EngagementEvent].self, from: step["events"]?.data ?? Data()) else {
                return results.note("the events cannot be read")
            }
            call { await queue.report(events) }
        case "receipt":
            let device = step["deviceId"]?.text ?? ""
            call { await queue.confirmReceipt(of: id, on: device) }
        case "online":
            store.send(.networkFound)
            call { await queue.resume() }
        case "reconcilePlan": reconcile(step)
        case "likes.load": call { await likes.load() }
        case "likes.loadMore": call { await likes.loadMore() }
        case "likes.sync":
            call {
                await likes.synchronise()
                store.send(.likesSeen)
            }
        case "likes.act":
            guard let action = step["action"]?.text.flatMap(LikeAction.init) else { return }
            call { await likes.act(action, on: id) }
        case "features": call { results.visibility.features = try await client.features() }
        case "unblur.start": call { results.visibility.timer = try await client.startUnblur() }
        case "unblur.state": call { results.visibility.timer = try await client.unblurState() }
        case let word?:
            guard let action = Self.action(word, step) else { return results.note("unknown step \(word)") }
            store.send(action)
        case nil: results.note("a step without do")
        }
    }

    private static func action(_ word: String, _ step: CaseValue) -> InboxAction? {
        let id = step["id"]?.text ?? ""
        switch word {
        case "load": return .load
        case "loadMore": return .loadMore
        case "refresh": return .refresh
        case "showNew": return .showNew
        case "markAllRead": return .markAllRead
        case "markRead": return .markRead(id)
        case "markUnread": return .markUnread(id)
        case "remove": return .remove(id)
        case "undo": return .undo(id)
        case "dismiss": return .dismiss(id)
        case "wake": return .wake(id)
        case "snooze":
            let until = step["until"]?.text.flatMap { try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse($0) }
            return until.map { .snooze(id, until: $0) }
        case "start": return .start
        case "stop": return .stop
        case "offline": return .networkLost
        default: return nil
        }
    }

    private static func event(_ step: CaseValue) -> String {
        var text = ""
        if let event = step["event"]?.text { text += "event: \(event)\n" }
        if let id = step["id"]?.text { text += "id: \(id)\n" }
        if let retry = step["retry"]?.number { text += "retry: \(Int(retry))\n" }
        return text + "data: \(step["data"] ?? .null)\n\n"
    }

    private func reconcile(_ step: CaseValue) {
        guard let zone = TimeZone(identifier: "UTC"), let answer = step["answer"],
            let plan = try? JSONDecoder().decode(LocalPlan.self, from: answer.data)
        else { return results.note("the plan cannot be read") }
        let reconciler = LocalPlanReconciler(timeZone: zone)
        var stored = StoredLocalPlan()
        if let version = step["plan"]?["version"]?.number, let planned = step["plan"]?["planned"] {
            let whole = CaseValue.object(["version": .number(version), "reset": .bool(true), "requests": planned, "removed": .array([])])
            guard let first = try? JSONDecoder().decode(LocalPlan.self, from: whole.data) else {
                return results.note("the stored plan cannot be read")
            }
            stored = reconciler.steps(for: first, plan: stored, now: clock.now).plan
        }
        results.plan = reconciler.steps(for: plan, plan: stored, now: clock.now)
    }

    private var state: CaseValue {
        let (likes, queue, results) = (likes, queue, results)
        call {
            results.likes = await likes.state
            results.reports = await queue.state
        }
        executor.drain()
        return CaseReport(inbox: store.state, results: results, cache: cache.data, now: clock.now).value
    }
}
