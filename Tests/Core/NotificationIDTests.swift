import Testing
import TidingsCore

@Suite struct NotificationIDTests {
    /// The example of RFC 9562, appendix A.6.
    @Test func exampleOfTheStandard() throws {
        let id = try #require(NotificationID("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"))
        #expect(id == NotificationID(milliseconds: 1_645_557_742_000, fraction: 0xCC3, random: 0x18C4_DC0C_0C07_398F))
        #expect(id.description == "017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
        #expect(id.timestamp == Timestamp(seconds: 1_645_557_742))
    }

    @Test(arguments: [
        "", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e2-79b0-7cc3-98c4-dc0c0c07398f0", "017f22e279b07cc398c4dc0c0c07398f",
        "017f22e2-79b0-4cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-58c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398g",
        "017f22e2_79b0-7cc3-98c4-dc0c0c07398f", "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}", " 17f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        "017f22e2-79b0-7cc3-98c4-dc0c0c0739８", "00000000-0000-0000-0000-000000000000",
    ])
    func aTextThatIsNoIDIsRefused(text: String) {
        #expect(NotificationID(text) == nil)
    }

    @Test func aWrittenIDIsReadBackAndSortsAsText() {
        let ids = (0..<500).map { _ in
            NotificationID(milliseconds: .random(in: 0..<1 << 48), fraction: .random(in: 0...0xFFF), random: .random(in: 0 ... .max))
        }
        #expect(ids.allSatisfy { NotificationID($0.description) == $0 })
        #expect(ids.sorted().map(\.description) == ids.map(\.description).sorted())
    }

    @Test func lowerBoundDividesIdsByTime() {
        let midnight = instant("2026-11-21T00:00:00Z")
        let bound = NotificationID.lowerBound(at: midnight)
        var generator = IdentifierGenerator()
        #expect(generator.next(at: midnight.adding(.milliseconds(-1)), random: .max) < bound)
        #expect(generator.next(at: midnight, random: 0) >= bound)
        #expect(NotificationID(bound.description) == bound)
    }
}
