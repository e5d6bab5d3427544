import Synchronization
import Testing

@testable import TidingsWaiting

@Suite struct ReloadedTests {
    private struct Broken: Error, Equatable { let text: String }

    /// A source that the test changes. A text that begins with `!` makes no value.
    private final class Source: Sendable {
        private struct State {
            var text: String
            var version = 1
            var made = 0
            var time = ContinuousClock.now
            /// Replaces the text while a value is made, once.
            var next: String?
        }

        private let state: Mutex<State>

        init(_ text: String) { state = Mutex(State(text: text)) }

        var version: Int { state.withLock { $0.version } }
        /// The number of values that were tried.
        var made: Int { state.withLock { $0.made } }
        var now: ContinuousClock.Instant { state.withLock { $0.time } }

        func write(_ text: String) { state.withLock { ($0.text, $0.version) = (text, $0.version + 1) } }
        func writeDuringTheNextRead(_ text: String) { state.withLock { $0.next = text } }
        func advance(by duration: Duration) { state.withLock { $0.time += duration } }

        func read() throws -> String {
            try state.withLock { state in
                let text = state.text
                state.made += 1
                if let next = state.next { (state.text, state.version, state.next) = (next, state.version + 1, nil) }
                guard !text.hasPrefix("!") else { throw Broken(text: text) }
                return text
            }
        }

        func reloaded(retriesFailures: Bool = false) -> Reloaded<String, Int> {
            Reloaded(
                every: .seconds(5), retriesFailures: retriesFailures, now: { self.now }, stamp: { self.version },
                make: { try self.read() })
        }
    }

    private static func word(_ look: Reloaded<String, Int>.Look) -> String {
        switch look {
        case .same: "same"
        case .renewed: "renewed"
        case .failed(let error): "failed: \((error as? Broken)?.text ?? "")"
        }
    }

    private static func value(_ reloaded: Reloaded<String, Int>) -> String? { try? reloaded.current.get() }

    @Test func aSourceThatStaysTheSameIsReadOnce() {
        let source = Source("a")
        let reloaded = source.reloaded()
        #expect(Self.word(reloaded.look()) == "same")
        #expect(Self.value(reloaded) == "a")
        #expect(source.made == 1)
    }

    @Test func aChangedSourceMakesTheValueAgain() {
        let source = Source("a")
        let reloaded = source.reloaded()
        source.write("b")
        #expect(Self.value(reloaded) == "a", "a change counts from the next look on")
        #expect(Self.word(reloaded.look()) == "renewed")
        #expect(Self.value(reloaded) == "b")
        #expect(Self.word(reloaded.look()) == "same")
    }

    @Test func theLastGoodValueStaysWhileANewOneCannotBeMade() {
        let source = Source("a")
        let reloaded = source.reloaded()
        source.write("!half")
        #expect(Self.word(reloaded.look()) == "failed: !half")
        #expect(Self.value(reloaded) == "a")
        source.write("b")
        #expect(Self.word(reloaded.look()) == "renewed")
        #expect(Self.value(reloaded) == "b")
    }

    @Test func aSourceThatWasNeverGoodShowsItsLastError() {
        let source = Source("!one")
        let reloaded = source.reloaded()
        #expect(throws: Broken(text: "!one")) { try reloaded.current.get() }
        source.write("!two")
        #expect(Self.word(reloaded.look()) == "failed: !two")
        #expect(throws: Broken(text: "!two")) { try reloaded.current.get() }
    }

    @Test(arguments: [(false, "same", 2), (true, "failed: !half", 3)])
    func aFailureIsRetriedByEachLookOnlyIfTold(_ retriesFailures: Bool, _ secondLook: String, _ made: Int) {
        let source = Source("a")
        let reloaded = source.reloaded(retriesFailures: retriesFailures)
        source.write("!half")
        #expect(Self.word(reloaded.look()) == "failed: !half")
        #expect(Self.word(reloaded.look()) == secondLook)
        #expect(source.made == made)
    }

    @Test(arguments: [(false, "same", 1), (true, "failed: !one", 2)])
    func theFirstFailureIsRetriedByEachLookOnlyIfTold(_ retriesFailures: Bool, _ look: String, _ made: Int) {
        let source = Source("!one")
        let reloaded = source.reloaded(retriesFailures: retriesFailures)
        #expect(Self.word(reloaded.look()) == look)
        #expect(source.made == made)
        source.write("b")
        #expect(Self.word(reloaded.look()) == "renewed")
        #expect(Self.word(reloaded.look()) == "same")
        #expect(Self.value(reloaded) == "b")
    }

    /// The file may be written between the two reads.
    @Test func aChangeBetweenStampAndValueIsNoticed() {
        let source = Source("a")
        source.writeDuringTheNextRead("b")
        let reloaded = source.reloaded()
        #expect(Self.value(reloaded) == "a")
        #expect(Self.word(reloaded.look()) == "renewed")
        #expect(Self.value(reloaded) == "b")
    }

    @Test func oneLookIsDueInEachInterval() {
        let source = Source("a")
        let reloaded = source.reloaded()
        #expect(!reloaded.beginsLook(), "the first value is as good as a look")
        for _ in 0..<3 {
            source.advance(by: reloaded.interval)
            #expect(reloaded.beginsLook())
            _ = reloaded.look()
            #expect(!reloaded.beginsLook())
        }
    }

    @Test func noLookIsDueWhileAnotherOneIsUnderWay() {
        let source = Source("a")
        let reloaded = source.reloaded()
        source.advance(by: reloaded.interval)
        #expect(reloaded.beginsLook())
        source.advance(by: reloaded.interval)
        #expect(!reloaded.beginsLook())
        _ = reloaded.look()
        #expect(reloaded.beginsLook())
    }

    @Test func aWaiterLearnsTheEndOfTheLook() async {
        let source = Source("a")
        let reloaded = source.reloaded()
        await reloaded.looked()
        source.advance(by: reloaded.interval)
        #expect(reloaded.beginsLook())
        source.write("b")
        let waiter = Task {
            await reloaded.looked()
            return Self.value(reloaded)
        }
        _ = reloaded.look()
        #expect(await waiter.value == "b")
    }
}
