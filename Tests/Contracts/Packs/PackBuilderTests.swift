import Testing
import TidingsContracts
import TidingsCore

@Suite struct PackBuilderTests {
    /// Makes ids in counting order, so that a test can assert the order of packs.
    private struct Counter {
        var next: UInt64 = 0
        mutating func id() -> PackID {
            next += 1
            return PackID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | next)
        }
    }

    @Test func theBuilderGroupsEntriesAndKeepsTheirOrder() {
        var builder = PackBuilder()
        builder.add(.bare(1), channel: .inApp, provider: "inbox", lane: .urgent)
        builder.add(.bare(2), channel: .webhook, provider: "webhook", lane: .urgent)
        builder.add(.bare(3), channel: .inApp, provider: "inbox", lane: .bulk)
        builder.add(.bare(4), channel: .inApp, provider: "inbox", lane: .urgent)
        var counter = Counter()
        let packs = builder.finish { counter.id() }
        #expect(
            packs.map(\.queueName) == [
                "tidings.deliver.inApp.inbox.urgent", "tidings.deliver.webhook.webhook.urgent", "tidings.deliver.inApp.inbox.bulk",
            ])
        #expect(packs[0].entries.map(\.recipient) == ["user-1", "user-4"])
        #expect(Set(packs.map(\.id)).count == 3)
        #expect(builder.finish { counter.id() }.isEmpty)
    }

    @Test func thePackIsCutAtFiftyEntries() {
        var builder = PackBuilder()
        for number in 0..<120 { builder.add(.bare(UInt64(number)), channel: .inApp, provider: "inbox", lane: .bulk) }
        var counter = Counter()
        let packs = builder.finish { counter.id() }
        #expect(packs.map(\.entries.count) == [50, 50, 20])
        #expect(packs.flatMap(\.entries).map(\.recipient) == (0..<120).map { "user-\($0)" })
    }

    @Test func thePackIsCutAtItsSizeAndNeverExceedsIt() {
        var builder = PackBuilder()
        let text = String(repeating: "\"x\u{01}", count: 700)
        for number in 0..<60 { builder.add(.sample(UInt64(number), title: text), channel: .webhook, provider: "webhook", lane: .bulk) }
        var counter = Counter()
        let packs = builder.finish { counter.id() }
        #expect(packs.count > 2)
        for pack in packs {
            #expect(pack.encode().count <= Pack.maximumBytes)
        }
        let first = packs[0]
        let grown = Pack(
            id: first.id, channel: first.channel, provider: first.provider, lane: first.lane,
            entries: first.entries + [.sample(1, title: text)])
        #expect(grown.encode().count > Pack.maximumBytes, "a pack is cut no earlier than it must be")
    }

    @Test func anEntryTooLargeForAnyPackIsAloneInOne() {
        var builder = PackBuilder()
        let huge = String(repeating: "x", count: Pack.maximumBytes)
        builder.add(.bare(1), channel: .webhook, provider: "webhook", lane: .bulk)
        builder.add(.sample(2, title: huge), channel: .webhook, provider: "webhook", lane: .bulk)
        builder.add(.bare(3), channel: .webhook, provider: "webhook", lane: .bulk)
        var counter = Counter()
        #expect(builder.finish { counter.id() }.map { $0.entries.map(\.recipient) } == [["user-1"], ["user-2"], ["user-3"]])
    }
}
