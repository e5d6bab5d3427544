import Foundation
import Testing
import TidingsInbox

/// The likes that an app observes.
@Suite struct LikesStoreTests {
    /// A like and a pass for the same person arrive in the order of the taps, even if the first request is slow. Otherwise a like that the
    /// person took back could become a match.
    @Test func actionsArriveInTheirOrder() {
        let scene = InboxScene()
        let likes = LikesStore(client: scene.client)
        let line = "POST /likes/bob/action"
        scene.server.answer(line)
        scene.server.hold(line)
        #expect(scene.result { await likes.act(.like, on: "bob") } == nil)
        #expect(scene.result { await likes.act(.pass, on: "bob") } == nil)
        #expect(scene.server.lines == [line], "the second action waits for the answer to the first")
        scene.server.release(line)
        scene.executor.drain()
        let bodies = scene.server.requests.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
        #expect(bodies.map { $0.contains("like") } == [true, false], "\(bodies)")
    }

    /// A failed action ends its turn too.
    @Test func aFailureHoldsNothingUp() {
        let scene = InboxScene()
        let likes = LikesStore(client: scene.client)
        scene.server.answer("POST /likes/bob/action", status: 503)
        scene.server.answer("POST /likes/eve/action")
        #expect(scene.result { await likes.act(.like, on: "bob") } != nil)
        #expect(scene.result { await likes.act(.like, on: "eve") } != nil)
        #expect(scene.server.lines == ["POST /likes/bob/action", "POST /likes/eve/action"])
    }
}
