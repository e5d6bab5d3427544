import Testing

@testable import TidingsPipeline

/// Work that neither ends nor is tried again stands still. A loop without work does not.
@Suite struct ProgressWatchTests {
    private static let start = ContinuousClock.now
    private static let patience = ProgressWatch.patience

    private static func at(_ time: Duration) -> ContinuousClock.Instant { start.advanced(by: time) }

    private static func still(_ kind: String, since time: Duration) -> ProgressWatch.Standstill {
        ProgressWatch.Standstill(kind: kind, since: at(time))
    }

    @Test func workInHandStandsStillAfterItsPatience() {
        let watch = ProgressWatch()
        #expect(watch.standstills(at: Self.at(Self.patience * 10)).isEmpty, "nothing is in hand")
        let work = watch.begin("a", at: Self.at(.zero))
        #expect(watch.standstills(at: Self.at(Self.patience - .seconds(1))).isEmpty)
        #expect(watch.standstills(at: Self.at(Self.patience)) == [Self.still("a", since: .zero)])
        work.step(at: Self.at(Self.patience))
        #expect(watch.standstills(at: Self.at(Self.patience * 2 - .seconds(1))).isEmpty)
        #expect(watch.standstills(at: Self.at(Self.patience * 2)) == [Self.still("a", since: Self.patience)])
        work.end(at: Self.at(Self.patience * 2))
        #expect(watch.standstills(at: Self.at(Self.patience * 9)).isEmpty)
    }

    /// One of many requests may hang while others are answered. The whole kind stands still only if none is.
    @Test func aKindGoesOnWithAnyOfItsWork() {
        let watch = ProgressWatch()
        _ = watch.begin("a", at: Self.at(.zero))
        _ = watch.begin("b", at: Self.at(.seconds(1)))
        for second in stride(from: 10, through: 600, by: 10) {
            watch.begin("a", at: Self.at(.seconds(second - 5))).end(at: Self.at(.seconds(second)))
        }
        #expect(watch.standstills(at: Self.at(.seconds(601))) == [Self.still("b", since: .seconds(1))])
        #expect(watch.standstills(at: Self.at(.seconds(600) + Self.patience)).map(\.kind) == ["a", "b"])
    }

    @Test func aWaitIsNoWork() {
        let watch = ProgressWatch()
        let work = watch.begin("a", at: Self.at(.zero))
        work.rest()
        #expect(watch.standstills(at: Self.at(Self.patience * 100)).isEmpty)
        work.resume(at: Self.at(Self.patience * 100))
        #expect(watch.standstills(at: Self.at(Self.patience * 101 - .seconds(1))).isEmpty)
        #expect(watch.standstills(at: Self.at(Self.patience * 101)).count == 1)
        work.rest()
        work.end()
        work.resume()
        #expect(watch.standstills(at: .now + Self.patience * 200).isEmpty, "work that has ended is not resumed")
    }

    @Test func theCurrentWorkIsThatOfTheTask() async throws {
        let watch = ProgressWatch()
        #expect(ProgressWork.current == nil)
        await watch.during("a") {
            #expect(ProgressWork.current != nil)
            await ProgressWork.resting {
                #expect(watch.standstills(at: .now + Self.patience * 2).isEmpty)
            }
            #expect(watch.standstills(at: .now + Self.patience * 2).map(\.kind) == ["a"])
        }
        #expect(watch.standstills(at: .now + Self.patience * 2).isEmpty)
        await #expect(throws: CancellationError.self) { try await watch.during("b") { throw CancellationError() } }
        #expect(watch.standstills(at: .now + Self.patience * 2).isEmpty, "work that failed has ended")
    }
}
