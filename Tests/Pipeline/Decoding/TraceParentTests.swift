import Testing
import TidingsPipeline

@Suite struct TraceParentTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

    /// The examples of W3C Trace Context, sections 3.2.2.4 and 3.2.4.
    @Test(arguments: [
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
    ]) func theExamplesOfTheStandard(text: String) {
        #expect(TraceParent.validated(text) == text)
    }

    @Test(arguments: ["00-\(trace)-01", "00-\(trace)-00", "00-\(trace)-ff"]) func versionZeroIsTakenAsItIs(text: String) {
        #expect(TraceParent.validated(text) == text)
    }

    @Test func aNewerVersionIsReadByWhatAllVersionsShare() {
        #expect(TraceParent.validated("01-\(Self.trace)-01") == "00-\(Self.trace)-01")
        #expect(TraceParent.validated("cc-\(Self.trace)-01-what-else") == "00-\(Self.trace)-01")
        #expect(TraceParent.validated("cc-\(Self.trace)-01.more") == nil)
    }

    @Test(arguments: [
        "", "00", "ff-\(trace)-01", "00-\(trace)-01-", "00-\(trace)-1", "00-\(trace)-0g", "00-\(trace.uppercased())-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01", "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00_\(trace)_01", "0x-\(trace)-01", " 00-\(trace)-01",
    ]) func anythingElseIsNone(text: String) {
        #expect(TraceParent.validated(text) == nil)
    }
}
