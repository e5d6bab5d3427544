import Testing
import TidingsCore

/// A change of these values would move people to another provider.
@Suite struct StableHashTests {
    @Test func valuesNeverChange() {
        #expect(StableHash("").value == 0x4F2D_B50F_1240_40CD)
        #expect(StableHash("default", "user-42").value == 0x0CC8_0ACC_29CA_6048)
        #expect(StableHash("default", "zoë").value == 0x61CC_1AEE_D0D7_DF11)
        #expect(StableHash("acme", "user-42").value == 0x126E_7F92_4EF5_50D0)
        #expect(StableHash("ab", "c").value == 0x9399_8DD6_EDC9_A3B3)
        #expect(StableHash("a", "bc").value == 0x0372_A433_AA0F_E51E)
    }

    @Test func numbersAreSpreadAndInRange() {
        var counts = [0, 0, 0, 0]
        for person in 0..<10_000 { counts[StableHash("default", "user-\(person)").below(4)] += 1 }
        #expect(counts == [2_494, 2_509, 2_529, 2_468])
        #expect(StableHash("anybody").below(1) == 0)
        #expect(StableHash("anybody").below(0) == 0)
        #expect(StableHash("anybody").below(-1) == 0)
    }
}
