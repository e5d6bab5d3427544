import Testing
import TidingsCore

@testable import TidingsServer

/// The log gets one line for each pause that begins or ends.
@Suite struct PauseWatchTests {
    @Test func eachBeginningAndEndIsToldOnce() {
        let push = Pause(id: 1, scope: .channel, name: "push")
        let acme = Pause(id: 2, scope: .tenant, name: "acme")
        var watch = PauseWatch()
        #expect(watch.follow(.none).isEmpty)
        #expect(watch.follow(Pauses([push, acme])) == [.began(push), .began(acme)])
        #expect(watch.follow(Pauses([push, acme])).isEmpty)

        let longer = Pause(id: 1, scope: .channel, name: "push", until: .distantFuture)
        #expect(watch.follow(Pauses([longer, acme])).isEmpty, "another end is the same pause")
        let again = Pause(id: 3, scope: .channel, name: "push")
        #expect(watch.follow(Pauses([again])) == [.ended(longer), .ended(acme), .began(again)])
        #expect(watch.follow(.none) == [.ended(again)])
    }
}
