import Foundation
import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsJSON

/// Checks a service account's request for an access token: a JSON Web Token of RFC 7523.
struct FCMTokenExchange: Sendable {
    /// The scopes that let an account send. One is enough.
    static let scopes: Set = ["https://www.googleapis.com/auth/firebase.messaging", "https://www.googleapis.com/auth/cloud-platform"]
    /// In seconds: the longest time between `iat` and `exp`.
    static let longestLife = 3_600
    /// In seconds: how far the two clocks may differ.
    static let skew: Int64 = 300

    /// The account's key; nil accepts every signature.
    let publicKey: RSAPublicKey?
    /// The path of the endpoint on its host: `/fcm/token`.
    let path: String

    /// The reason why there is no token, in the words of RFC 6749 section 5.2.
    struct Refusal: Error, Sendable, Hashable {
        var error: String
        var description: String

        var response: CaptureAnswer.Response {
            var json = JSONWriter()
            json.beginObject()
            json.member("error", error)
            json.member("error_description", description)
            json.endObject()
            return .json(400, json.bytes)
        }

        static func grant(_ description: String) -> Refusal { Refusal(error: "invalid_grant", description: description) }
    }

    /// Returns the project that the address of the account names, or nil if the address names no project. Fails with the reason if the
    /// request is wrong. An account whose address contains `test+rejected` is refused as if the account no longer existed.
    func project(in request: StandInRequest) -> Result<String?, Refusal> {
        Result { () throws(Refusal) in
            let claims = try claims(in: request)
            guard let account = claims["iss"]?.stringValue, !account.isEmpty else { throw .grant("Invalid issuer: no iss in the JWT.") }
            guard FixedRecipient.named(in: account) != .rejected else { throw .grant("Invalid grant: account not found") }
            try check(claims, host: request.headers["host"] ?? "", now: request.now)
            let domain = account.split(separator: "@").last ?? ""
            return domain.hasSuffix(Self.domain) ? String(domain.dropLast(Self.domain.count)) : nil
        }
    }

    private static let domain = ".iam.gserviceaccount.com"

    private func claims(in request: StandInRequest) throws(Refusal) -> JSON {
        guard request.headers["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true else {
            throw Refusal(error: "invalid_request", description: "The content type must be application/x-www-form-urlencoded.")
        }
        let fields = Self.formFields(request.body)
        guard fields["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer" else {
            throw Refusal(error: "unsupported_grant_type", description: "Invalid grant_type: \(fields["grant_type"] ?? "")")
        }
        let parts = (fields["assertion"] ?? "").split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Self.json(parts[0]), let claims = Self.json(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw .grant("Bad JWT: it is not three parts of Base64url with JSON in the first two.") }
        guard header["alg"]?.stringValue == "RS256", header["typ"]?.stringValue ?? "JWT" == "JWT" else {
            throw .grant("Bad JWT: the header must have alg RS256 and typ JWT.")
        }
        if let publicKey, !publicKey.verify(signature, of: Array("\(parts[0]).\(parts[1])".utf8)) { throw .grant("Invalid JWT Signature.") }
        return claims
    }

    private func check(_ claims: JSON, host: String, now: Timestamp) throws(Refusal) {
        let scopes = (claims["scope"]?.stringValue ?? "").split(separator: " ").map(String.init)
        guard !Self.scopes.isDisjoint(with: scopes) else {
            throw Refusal(error: "invalid_scope", description: "Invalid OAuth scope or ID token audience provided.")
        }
        let audience = claims["aud"]?.stringValue ?? ""
        guard ["http", "https"].contains(where: { audience == "\($0)://\(host)\(path)" }) else {
            throw .grant("Invalid JWT: Failed audience check, which is for //\(host)\(path).")
        }
        guard let issued = claims["iat"]?.intValue.map(Int64.init), let expires = claims["exp"]?.intValue.map(Int64.init),
            (0...Int64(Self.longestLife)).contains(expires.subtractingReportingOverflow(issued).partialValue),
            issued <= now.wholeSeconds + Self.skew, expires > now.wholeSeconds - Self.skew
        else {
            throw .grant(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."
                    + " Check your iat and exp values in the JWT claim.")
        }
    }

    private static func json(_ part: String) -> JSON? {
        Base64URL.decode(part).flatMap { try? JSON.parse($0) }
    }

    /// Parses `a=1&b=x%3Ay`. If a name appears more than once, the last value counts.
    private static func formFields(_ body: [UInt8]) -> [String: String] {
        var fields: [String: String] = [:]
        for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
            fields[parts[0]] = parts.count == 2 ? parts[1] : ""
        }
        return fields
    }
}
