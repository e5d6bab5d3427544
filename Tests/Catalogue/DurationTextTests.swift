import Testing
import TidingsCatalogue

@Suite struct DurationTextTests {
    @Test(
        arguments: [
            ("90m", 5_400_000_000), ("3d", 259_200_000_000), ("1h30m", 5_400_000_000), ("500ms", 500_000), ("0s", 0),
            ("1d2h3m4s5ms6us", 93_784_005_006),
        ] as [(String, Int64)]) func aDurationIsRead(text: String, microseconds: Int64)
    {
        #expect(DurationText.parse(text) == .microseconds(microseconds))
    }

    @Test(arguments: [
        "", "60", "m", "1x", "-1s", "1m1h", "1m1m", "1.5h", " 1s", "1s ", "1 s", "99999999999999999999s", "9000000000000000000d", "1S",
    ])
    func aTextThatIsNoDurationIsRefused(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: [0, 1, 999, 1_000, 90_000_000, 5_400_000_000, 86_400_000_000, 86_400_000_001] as [Int64])
    func aPrintedDurationIsReadBack(microseconds: Int64) {
        let duration = Duration.microseconds(microseconds)
        #expect(DurationText.parse(DurationText.print(duration)) == duration)
    }

    @Test func aDurationIsPrintedInItsLargestUnit() {
        #expect(DurationText.print(.seconds(86_400 * 3)) == "3d")
        #expect(DurationText.print(.seconds(5_400)) == "90m")
        #expect(DurationText.print(.zero) == "0s")
    }
}
