import Testing

@testable import TidingsAMQP

/// The user that a publisher names on its messages.
@Suite struct OwnUserTests {
    private static let message = OutgoingMessage(exchange: "e", routingKey: "k", body: [], messageID: "m")

    @Test func aNameOnTheMessageIsKept() {
        let user = OwnUser("shop")
        #expect(user.signing(Self.message).userID == "shop")
        var named = Self.message
        named.userID = "other"
        #expect(user.signing(named).userID == "other")
    }

    /// The property holds 255 bytes. A longer name would make every message unsendable.
    @Test(arguments: ["", String(repeating: "u", count: 256)]) func aNameThatDoesNotFitIsLeftOut(name: String) {
        #expect(OwnUser(name).signing(Self.message).userID == nil)
    }

    /// After a login by token, the broker may know the connection by a name that differs from the URL's.
    @Test func aRefusedNameIsNotTriedAgain() {
        var user = OwnUser("shop")
        let others: [AMQPError] = [
            .channelClosed(code: 406, text: "PRECONDITION_FAILED - user_id property set to 'other' but authenticated user was 'shop'"),
            .channelClosed(code: 406, text: "PRECONDITION_FAILED - message size is larger than the limit"), .timedOut("a confirm"),
        ]
        for error in others {
            let isRefused = user.isRefused(by: error)
            #expect(!isRefused && user.name == "shop")
        }
        let refusal = AMQPError.channelClosed(
            code: 406, text: "PRECONDITION_FAILED - user_id property set to 'shop' but authenticated user was 'token-17'")
        let isRefused = user.isRefused(by: refusal)
        #expect(isRefused)
        #expect(user.signing(Self.message).userID == nil)
        let isRefusedAgain = user.isRefused(by: refusal)
        #expect(!isRefusedAgain, "a second refusal is no longer this user's")
    }
}
