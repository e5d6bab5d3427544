import Foundation
import Testing
import TidingsInbox

/// The behaviours of the view model in the lending app's document.
@Suite struct InboxStoreTests {
    private static let list = "GET /api/notifications"

    private static func read(_ number: Int) -> String { "PATCH /api/notifications/\(Sample.id(number))/read" }

    private static func loaded(_ items: [String] = [Sample.item(2), Sample.item(1)], unread: Int = 2) -> InboxScene {
        let scene = InboxScene()
        scene.server.answer(list, Sample.page(items, unread: unread))
        _ = scene.send(.load)
        return scene
    }

    @Test func aStoreBeginsEmpty() {
        let state = InboxScene().store.state
        #expect(state == InboxState())
        #expect(state.items.isEmpty)
        #expect(state.error == nil)
    }

    @Test func aLoadFetchesTheItems() {
        let state = Self.loaded().store.state
        #expect(state.items.map(\.id) == [Sample.id(2), Sample.id(1)])
        #expect(state.status == .loaded)
        #expect(!state.isBusy)
    }

    @Test func aLoadFetchesTheUnreadCount() {
        let state = Self.loaded([Sample.item(2), Sample.item(1, isRead: true)], unread: 1).store.state
        #expect(state.counts == InboxCounts(total: 2, unreadCount: 1))
        #expect(state.badge == "1")
    }

    @Test func aLoadThatFailsSaysWhy() {
        let scene = InboxScene()
        scene.server.answer(Self.list, status: 500)
        let state = scene.send(.load)
        #expect(state.status == .failed)
        #expect(state.error == .server(status: 500))
        #expect(state.error?.localizedDescription == "The service failed (status 500). Try again later.")
    }

    @Test func anEmptyInboxIsNoError() {
        let state = Self.loaded([], unread: 0).store.state
        #expect(state.items.isEmpty)
        #expect(state.status == .loaded)
        #expect(state.error == nil)
    }

    @Test func aReadItemIsReadAtOnceAndOnTheServer() {
        let scene = Self.loaded()
        scene.server.answer(Self.read(2), #"{"notification":\#(Sample.item(2, isRead: true)),"unreadCount":1}"#)
        scene.store.send(.markRead(Sample.id(2)))
        // Nothing has run yet: the change is shown before its request.
        #expect(scene.store.state.items[0].isRead)
        #expect(scene.store.state.counts.unreadCount == 1)
        scene.executor.drain()
        #expect(scene.server.lines.last == Self.read(2))
        #expect(scene.store.state.items[0].state == .read)
    }

    @Test func aReadThatFailsIsTakenBack() {
        let scene = Self.loaded()
        let before = scene.store.state
        scene.server.answer(Self.read(2), status: 503, headers: ["retry-after": "5"])
        let state = scene.send(.markRead(Sample.id(2)))
        #expect(state.items == before.items)
        #expect(state.counts == before.counts)
        #expect(state.error == .unavailable(retryAfter: 5))
    }

    @Test func readingAnItemTwiceSendsOneRequest() {
        let scene = Self.loaded()
        scene.server.answer(Self.read(2), #"{"notification":\#(Sample.item(2, isRead: true)),"unreadCount":1}"#)
        _ = scene.send(.markRead(Sample.id(2)))
        let state = scene.send(.markRead(Sample.id(2)))
        #expect(scene.server.lines.count { $0 == Self.read(2) } == 1)
        #expect(state.counts.unreadCount == 1)
    }

    @Test func readAllReadsEverythingThatIsShown() {
        let scene = Self.loaded()
        scene.server.answer("PATCH /api/notifications/read-all", #"{"updated":2,"unreadCount":0}"#)
        let state = scene.send(.markAllRead)
        #expect(!state.items.contains { !$0.isRead })
        #expect(state.counts.unreadCount == 0)
        #expect(scene.server.requests.last?.url.query() == "before=\(Sample.id(2))")
    }

    @Test func aDeletedItemIsGone() {
        let scene = Self.loaded()
        scene.server.answer("DELETE /api/notifications/\(Sample.id(1))", #"{"total":1,"unreadCount":1}"#)
        let state = scene.send(.remove(Sample.id(1)))
        #expect(state.items.map(\.id) == [Sample.id(2)])
        #expect(state.counts == InboxCounts(total: 1, unreadCount: 1))
    }

    @Test func aRefreshReplacesTheList() {
        let scene = Self.loaded()
        scene.server.answer(Self.list, Sample.page([Sample.item(3), Sample.item(2)], unread: 2))
        // The first answer stays until another is there: drop it by one more refresh.
        _ = scene.send(.refresh)
        let state = scene.send(.refresh)
        #expect(state.items.map(\.id) == [Sample.id(3), Sample.id(2)])
    }

    @Test func theNextSuccessClearsTheError() {
        let scene = Self.loaded()
        scene.server.answer(Self.read(2), status: 500)
        scene.server.answer(Self.read(2), #"{"notification":\#(Sample.item(2, isRead: true)),"unreadCount":1}"#)
        #expect(scene.send(.markRead(Sample.id(2))).error == .server(status: 500))
        #expect(scene.send(.markRead(Sample.id(2))).error == nil)
    }
}

/// Life of a store beyond single actions.
@Suite struct InboxStoreLifeTests {
    /// A change that no run has sent yet goes out with the next one.
    @Test func changesOutliveARun() {
        let scene = InboxScene()
        scene.server.answer("GET /api/notifications", Sample.page([Sample.item(1)], unread: 1))
        _ = scene.send(.load)
        scene.stop()
        #expect(scene.send(.markRead(Sample.id(1))).isBusy)
        #expect(scene.server.lines.count == 1)
        let line = "PATCH /api/notifications/\(Sample.id(1))/read"
        scene.server.answer(line, #"{"notification":\#(Sample.item(1, isRead: true)),"unreadCount":0}"#)
        let store = scene.store
        let again = Task(executorPreference: scene.executor) { await store.run() }
        scene.executor.drain()
        #expect(scene.server.lines.last == line)
        #expect(!scene.store.state.isBusy)
        again.cancel()
        scene.executor.drain()
    }

    @Test func performReturnsWhenTheListIsThere() {
        let scene = InboxScene()
        scene.server.answer("GET /api/notifications", Sample.page([Sample.item(1)], unread: 1))
        let store = scene.store
        let state = scene.result {
            await store.perform(.refresh)
            return store.state
        }
        #expect((try? state?.get())?.status == .loaded)
    }

    @Test func signOutForgetsEverything() throws {
        let cache = CaseCache(nil)
        let scene = InboxScene(cache: cache)
        scene.server.answer("GET /api/notifications", Sample.page([Sample.item(1)], unread: 1))
        _ = scene.send(.load)
        #expect(cache.data != nil)
        #expect(scene.send(.signOut) == InboxState())
        #expect(cache.data == nil)
    }

    @Test func manyChangesAreBounded() {
        let scene = InboxScene()
        scene.stop()
        for number in 1...200 { _ = scene.send(.markRead(Sample.id(number))) }
        #expect(scene.store.state.error == nil)
        #expect(scene.send(.markRead(Sample.id(201))).error == .tooManyChanges)
    }

    /// A cache of the disk holds what another process reads.
    @Test func aFileKeepsTheList() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "inbox-\(UUID().uuidString).json")
        let cache = FileInboxCache(url: file)
        #expect(await cache.read() == nil)
        await cache.write(Data("{}".utf8))
        #expect(await cache.read() == Data("{}".utf8))
        await cache.remove()
        #expect(await cache.read() == nil)
    }
}
