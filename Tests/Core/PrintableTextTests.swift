import Testing
import TidingsCore

@Suite struct PrintableTextTests {
    /// Every mark of direction of Unicode's bidirectional algorithm (UAX #9).
    static let marks: [UInt32] = [0x061C, 0x200E, 0x200F] + Array(0x202A...0x202E) + Array(0x2066...0x2069)

    @Test(arguments: marks) func aMarkOfDirectionIsShownAsASpace(_ value: UInt32) throws {
        let mark = try #require(Unicode.Scalar(value))
        #expect("a\(mark)b".printable == "a b")
    }

    @Test(arguments: [
        "\u{0}", "\n", "\t", "\u{1B}", "\u{7F}", "\u{85}", "\u{9B}", "\u{2028}", "\u{2029}", "\u{200B}", "\u{FEFF}", "\u{E000}",
    ])
    func aCharacterThatSteersIsShownAsASpace(_ text: String) {
        #expect("a\(text)b".printable == "a b")
    }

    @Test(arguments: ["", "plain", "\u{FC}ber \u{2713}", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}"])
    func aTextForPeopleStays(_ text: String) {
        #expect(text.printable.unicodeScalars.elementsEqual(text.unicodeScalars))
    }
}
