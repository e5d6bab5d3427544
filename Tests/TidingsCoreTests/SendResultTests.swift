import Testing
import TidingsCore

@Suite struct SendResultTests {
    @Test func detailIsShortAndPrintable() {
        #expect(SendResult(.endpointGone, status: 410, detail: "gone\r\n\u{1B}[31mnow\0").detail == "gone   [31mnow ")
        #expect(SendResult(.endpointGone, detail: "left\u{202E}right\u{2028}").detail == "left right ")
        #expect(SendResult(.endpointGone, detail: "").detail == nil)
        #expect(SendResult(.endpointGone).detail == nil)
        let long = SendResult(.endpointGone, detail: String(repeating: "é", count: 1_000)).detail
        #expect(long == String(repeating: "é", count: 250))
        #expect(SendResult(.endpointGone, detail: "x" + String(repeating: "é", count: 1_000)).detail?.utf8.count == 499)
    }
}
