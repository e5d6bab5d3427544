import Synchronization
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON
import TidingsJSONSchema

/// A stand-in for Firebase Cloud Messaging, HTTP v1, and its OAuth endpoint: `/fcm/v1/projects/{project}/messages:send` and `/fcm/token`.
///
/// A binding of kind `fcm` uses the stand-in with `endpoint` `http://127.0.0.1:PORT/fcm` and a service account whose `token_uri` is
/// `http://127.0.0.1:PORT/fcm/token`. Fixed recipients work as for every stand-in. In addition, a token that asks for a name of
/// ``FCMFault/scripted`` gets that error. A token of FCM has no plus sign, so it asks with `test:gone`, and with `test:UNREGISTERED`.
final class FCMStandIn: StandIn {
    static let path = "/fcm"
    /// The most access tokens in memory. The oldest one is dropped first, and is refused afterwards.
    static let rememberedTokens = 1_000

    private struct Issued {
        var project: String?
        var expiresAt: Timestamp
    }

    private struct State {
        var issued: [String: Issued] = [:]
        var inOrder: [String] = []
        var accepted = 0
    }

    private let exchange: FCMTokenExchange
    private let tokenLife: Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - publicKey: the service account's key; nil accepts every signature.
    ///   - tokenLife: seconds for which an access token is valid.
    init(publicKey: RSAPublicKey? = nil, tokenLife: Int64 = 3_599) {
        exchange = FCMTokenExchange(publicKey: publicKey, path: "\(Self.path)/token")
        self.tokenLife = tokenLife
    }

    func answer(_ request: StandInRequest) -> StandInAnswer {
        guard request.method == "POST" else { return StandInAnswer(response: FCMFault.unknownAddress.response()) }
        if request.path == "/token" { return StandInAnswer(response: token(for: request)) }
        guard let project = Self.project(in: request.path) else { return StandInAnswer(response: FCMFault.unknownAddress.response()) }
        let credentials = request.headers["authorization"] ?? ""
        guard credentials.hasPrefix("Bearer "), let issued = issued(String(credentials.dropFirst(7)), now: request.now) else {
            return StandInAnswer(response: FCMFault.unknownAccessToken.response())
        }
        // The URL may name a project by its number. A number does not show the project's name, so it cannot be compared.
        let isNumber = project.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber || issued.project == nil || issued.project == project else {
            return StandInAnswer(response: FCMFault.unknownProject.response())
        }
        return receive(request, project: project)
    }

    // MARK: Messages

    private func receive(_ request: StandInRequest, project: String) -> StandInAnswer {
        let message: FCMMessageCheck
        switch FCMMessageCheck.of(request.body) {
        case .success(let checked): message = checked
        case .failure(let fault): return StandInAnswer(response: fault.response())
        }
        let accepted = accepted(project: project, now: request.now)
        guard !message.isOnlyValidated else { return StandInAnswer(response: accepted) }
        var answer = StandInAnswer(messageID: message.id, response: accepted)
        let asked = message.target.replacing("test:", with: "test+")
        switch FixedRecipient.named(in: asked) {
        case .delivered: break
        case .rejected:
            answer.response = FCMFault.badRequest([FCMFault.Violation("message", "Request contains an invalid argument.")]).response()
        case .gone: answer.response = FCMFault.unregistered.response()
        case .throttled: answer.first = FCMFault.quotaExceeded.response(retryAfter: FixedRecipient.throttledSeconds)
        case .flaky: answer.first = FCMFault.unavailable.response()
        case .timeout: answer.hangs = true
        case nil: if let fault = FCMFault.named(in: asked) { answer.response = fault.response() }
        }
        return answer
    }

    private func accepted(project: String, now: Timestamp) -> CaptureAnswer.Response {
        let count = state.withLock { state in
            state.accepted += 1
            return state.accepted
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("name", "projects/\(project)/messages/0:\(now.microseconds)%\(String(count, radix: 16))")
        json.endObject()
        return .json(200, json.bytes)
    }

    /// Returns `shop` of `/v1/projects/shop/messages:send`.
    private static func project(in path: String) -> String? {
        let words = path.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 5, words[0].isEmpty, words[1] == "v1", words[2] == "projects", !words[3].isEmpty, words[4] == "messages:send"
        else { return nil }
        return String(words[3])
    }

    // MARK: Access tokens

    private func token(for request: StandInRequest) -> CaptureAnswer.Response {
        switch exchange.project(in: request) {
        case .failure(let refusal): return refusal.response
        case .success(let project):
            let token = "standin-\(Hexadecimal.encode((0..<16).map { _ in UInt8.random(in: .min ... .max) }))"
            remember(token, Issued(project: project, expiresAt: request.now.adding(.seconds(tokenLife))))
            var json = JSONWriter()
            json.beginObject()
            json.member("access_token", token)
            json.member("expires_in", tokenLife)
            json.member("token_type", "Bearer")
            json.endObject()
            return .json(200, json.bytes)
        }
    }

    private func remember(_ token: String, _ issued: Issued) {
        state.withLock { state in
            if state.inOrder.count == Self.rememberedTokens { state.issued[state.inOrder.removeFirst()] = nil }
            state.issued[token] = issued
            state.inOrder.append(token)
        }
    }

    private func issued(_ token: String, now: Timestamp) -> Issued? {
        state.withLock { $0.issued[token] }.flatMap { now < $0.expiresAt ? $0 : nil }
    }
}
