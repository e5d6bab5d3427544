import Testing
import TidingsCore

@Suite struct ChannelTests {
    @Test func channelsSortByDeclaration() {
        #expect(Channel.allCases.shuffled().sorted() == Channel.allCases)
        #expect(Channel.allCases.map(\.rawValue) == ["push", "local", "inApp", "email", "sms", "webPush", "webhook"])
    }
}
