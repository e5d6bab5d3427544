import Glibc
import TidingsCore
import TidingsHTTP
import TidingsProvider

/// Delivers to devices through Firebase Cloud Messaging, HTTP v1. Each message is one call under an access token, which the key of a
/// service account gets.
///
/// FCM has no idempotency key, so a message whose call broke off may arrive twice. The collapse key hides the repetition on the device.
struct FCMProvider: ConnectedProvider {
    let connection: ServiceConnection
    let channel = Channel.push
    let limits: ProviderLimits
    /// The badge is in the block `apns`.
    let showsBadge = true
    private let configuration: FCMConfiguration
    private let tokens: AccessTokens

    init(_ configuration: FCMConfiguration, _ connection: ServiceConnection) {
        self.connection = connection
        self.configuration = configuration
        limits = configuration.call.limits(maximumBodyBytes: FCMLimits.bodyBytes)
        let (call, url) = (configuration.call, configuration.account.tokenURI)
        tokens = AccessTokens(account: configuration.account, now: connection.now) { body, timeout in
            var request = call.request(url: url, headers: [("content-type", "application/x-www-form-urlencoded")], body: body)
            request.totalTimeout = timeout
            return await connection.send(request)
        }
    }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        // One deadline for all calls that the message needs.
        let deadline = ContinuousClock.now + limits.sendTimeout
        let message: FittedMessage<[UInt8]>
        do throws(Refusal) {
            message = try fcmBody(of: item, now: connection.now())
        } catch {
            return error.result
        }
        return await send(message.message, to: item, before: deadline).noting(message.note)
    }

    private func send(_ body: [UInt8], to item: OutgoingDelivery, before deadline: ContinuousClock.Instant) async -> SendResult {
        do throws(ExchangeFailure) {
            let token = try await tokens.token(before: deadline)
            let result = await post(body, token, before: deadline)
            let secrets = [token, item.endpointAddress ?? ""]
            guard refusesAccessToken(result), await tokens.drop(token) else {
                return fcmResult(of: result, now: connection.now()).hiding(secrets)
            }
            let fresh = try await tokens.token(before: deadline)
            let second = await post(body, fresh, before: deadline)
            if refusesAccessToken(second) { await tokens.noteReplacedInVain() }
            return fcmResult(of: second, now: connection.now()).hiding(secrets + [fresh])
        } catch {
            return error.result
        }
    }

    private func post(_ body: [UInt8], _ token: String, before deadline: ContinuousClock.Instant) async -> HTTPResult {
        let headers = [("authorization", "Bearer \(token)"), ("content-type", "application/json; charset=utf-8")]
        var request = configuration.call.request(url: configuration.sendURL, headers: headers, body: body)
        request.totalTimeout = deadline - .now
        guard request.totalTimeout > .zero else {
            return .failed(
                HTTPFailure(
                    kind: .timeoutBeforeSend, requestMayHaveArrived: false, message: "no time was left after fetching an access token"))
        }
        return await connection.send(request)
    }
}
