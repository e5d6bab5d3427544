import Testing

@testable import TidingsAPI

@Suite struct StreamTurnsTests {
    /// Each stream has one heartbeat and one look in their times, and no turn has more than its share of the streams.
    @Test func everyStreamHasItsTurn() {
        let streams = 1...9_000
        var beats: [Int: Int] = [:]
        var looks: [Int: Int] = [:]
        var turns = StreamTurns()
        for _ in 0..<StreamTurns.ofHealing {
            turns.next()
            let (beating, looked) = (
                streams.filter { turns.isHeartbeat(of: $0) }, streams.filter { StreamTurns.healing(of: $0) == turns.healing }
            )
            #expect(beating.count == streams.count / StreamTurns.ofHeartbeat && looked.count == streams.count / StreamTurns.ofHealing)
            for stream in beating { beats[stream, default: 0] += 1 }
            for stream in looked { looks[stream, default: 0] += 1 }
        }
        #expect(beats.count == streams.count && Set(beats.values) == [StreamTurns.ofHealing / StreamTurns.ofHeartbeat])
        #expect(looks.count == streams.count && Set(looks.values) == [1])
    }
}
