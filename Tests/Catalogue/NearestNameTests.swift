import Testing
import TidingsCore

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("chanels", "channels"), ("schedueldFor", "scheduledFor"), ("Webhook", "webhook"), ("pus", "push"), ("orderUpdte", "orderUpdate"),
    ]) func aSlipIsRecognised(typed: String, meant: String) {
        #expect(NearestName.of(typed, among: ["channels", "scheduledFor", "webhook", "webPush", "push", "orderUpdate"]) == meant)
    }

    @Test func somethingElseGetsNoSuggestion() {
        #expect(NearestName.of("email", among: ["push", "local"]) == nil)
        #expect(NearestName.of("", among: ["push"]) == nil)
        #expect(NearestName.of("abc", among: []) == nil)
        #expect(NearestName.of(String(repeating: "x", count: 100_000), among: ["push"]) == nil)
    }

    @Test func theNearestWinsAndTiesAreStable() {
        #expect(NearestName.of("metadat", among: ["metadate", "metadata", "metada"]) == "metada")
    }
}
