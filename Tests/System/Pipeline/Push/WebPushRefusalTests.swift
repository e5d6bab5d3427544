import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// A push service refuses messages because of a mistake of ours. Each delivery fails with its reason, and no device is lost.
@Suite struct WebPushRefusalTests {
    /// A mistake: the answer of the push service, and the reason of the delivery.
    private static let mistakes = [
        (answer: #""then":401"#, reason: "misconfigured"),
        (answer: #""then":403,"body":"{\"reason\":\"BadJwtToken\"}""#, reason: "misconfigured"),
        (answer: #""then":403,"body":"{\"errno\":109,\"message\":\"VAPID public key mismatch\"}""#, reason: "tokenMalformed"),
        (answer: #""then":413"#, reason: "payloadTooLarge"),
        (answer: #""then":400"#, reason: "providerRejected"),
    ]

    private static func catalogue(_ markets: PushMarkets) -> String {
        """
        types:
          orderUpdate: {category: transactional, channels: [push]}
        markets:
          default: {push: [webpush]}
        defaultMarket: default
        providers:
          webpush:
            channel: push
            kind: webpush
            settings:
              vapidPrivateKey: "file:\(markets.secret("webpush"))"
              subject: mailto:ops@shop.example
              allowHTTP: "true"
              allowedPorts: any
              allowedNetworks: 127.0.0.0/8
        """
    }

    @Test func aMistakeOfOursLosesNoDevice() async throws {
        try await withPushMarkets(catalogue: Self.catalogue) { pipeline, markets in
            let system = pipeline.system
            let subscription = try await LoopbackClient().ask("\(markets.capture)/webpush/subscriptions", method: "POST")
            try #require(subscription.status == 201, "\(subscription.text)")
            try await pipeline.register("reader", subscription.text, platform: "web")
            // The settings of the provider allow loopback, and no other private address.
            let private10 = subscription.text.replacing("127.0.0.1", with: "10.0.0.5")
            let refused = try await system.tidings("device", "register", "reader", private10, "--platform", "web")
            #expect(refused.exitCode == 65 && refused.errors.contains("its address is not public"), "\(refused.errors)")
            for (number, mistake) in Self.mistakes.enumerated() {
                try await markets.behave(#"{"path":"/webpush/push",\#(mistake.answer)}"#)
                await pipeline.publish(event(id: "refused-\(number)", to: "reader"))
                #expect(try await pipeline.byProvider(of: "refused-\(number)") == ["webpush failed \(mistake.reason)"])
                #expect(try await system.count("select count(*) from tidings_ops.devices where state = 'active'") == 1, "\(mistake)")

                // The operator has corrected the mistake.
                try await markets.behave(nil)
                await pipeline.publish(event(id: "sent-\(number)", to: "reader"))
                #expect(try await pipeline.byProvider(of: "sent-\(number)") == ["webpush sent accepted"])
            }
            let accepted = try markets.acceptances(below: "/webpush/push/")
            #expect(accepted.count == Self.mistakes.count && accepted.values.allSatisfy { $0 == 1 }, "\(accepted)")
            #expect(try markets.requests(below: "/webpush/push/").count == 2 * Self.mistakes.count, "a refused message is not repeated")
            try await pipeline.expectSound()
        }
    }
}
