import TidingsCore
import TidingsEncodings
import TidingsJSON
import TidingsProvider

/// The settings of one binding of kind `http`. Every template is compiled here, so an error in one shows when the binding is made, not when
/// a delivery is sent.
struct ServiceConfiguration: Sendable {
    let method: ServiceMethod
    let url: URLTemplate
    /// The headers in the order in which they are sent.
    let headers: [Header]
    /// Nil for a method without a body.
    let body: BodyTemplate?
    let maximumBodyBytes: Int
    /// Whether the binding sends to endpoints. If true, a delivery without an address is refused.
    let needsAddress: Bool
    /// Whether a template uses the delivery's data. If false, the data is not parsed.
    let readsData: Bool
    let answers: AnswerRules
    /// The secrets of every call, which no result may contain.
    let secrets: [String]
    let calls: CallSettings
    /// Whether callbacks name a delivery by the id at `messageIdPath`.
    let isReportedByMessageID: Bool

    /// The settings of the catalogue, in the order of the documentation.
    static let settings =
        [
            ProviderSetting(
                "url",
                "The service's address, with `{{placeholders}}` in path and query: `https://dmp.example.com/users/{{recipient}}/pushes`."),
            ProviderSetting("method", "POST, PUT or PATCH, or GET or DELETE, which send no body.", defaultValue: "POST"),
            ProviderSetting(
                "contentType",
                "Of the body: a JSON type, application/x-www-form-urlencoded (values are percent-encoded) or another (values as they are).",
                defaultValue: "application/json"),
            ProviderSetting("body", "A template of the body with `{{placeholders}}`; empty for the standard JSON body."),
            ProviderSetting(
                "headers",
                "Further headers, one `Name: value` a line, with `{{placeholders}}`; a value `env:NAME` or `file:/path` is a secret.",
                isSecret: true),
            ProviderSetting(
                "headerEncoding",
                "How headers carry texts outside ASCII: encodedWords (RFC 2047, `=?UTF-8?B?…?=`) or percent (`%` and two digits for a byte).",
                defaultValue: HeaderEncoding.encodedWords.rawValue),
            ProviderSetting(
                "authorization", "The Authorization header as it stands: `env:NAME` or `file:/path` of, say, `Bearer …`.", isSecret: true),
            ProviderSetting(
                "idempotencyHeader", "The header with the delivery's idempotency key; `none` for no such header.",
                defaultValue: "Idempotency-Key"),
        ] + AnswerRules.settings + [
            ProviderSetting("maximumBodyBytes", "Longest body that is sent, 1 to 10485760 bytes.", defaultValue: "262144")
        ] + CallSettings.declarations() + CallbackSettings.declarations

    init(_ binding: ProviderBinding, environment: [String: String]) throws(ProviderConfigurationError) {
        let settings = try ProviderSettings(binding, declared: Self.settings, environment: environment)
        var errors = SettingErrors(of: settings)
        let method = errors.collect(try Self.method(settings))
        let url = errors.collect(try Self.url(settings))
        let contentType = settings.text("contentType") ?? "application/json"
        let headers = errors.collect(
            try Header.all(settings, contentType: method?.hasBody == false ? nil : contentType, binding, environment))
        let body = errors.collect(try Self.body(settings, of: method ?? .post, contentType: contentType))
        let maximumBodyBytes = errors.collect(try settings.integer("maximumBodyBytes", default: 262_144, in: 1...(10 << 20)))
        let answers = errors.collect(try AnswerRules(settings))
        let calls = errors.collect(try CallSettings(settings))
        let callbacks = errors.collect(try CallbackSettings.rules(settings))
        guard let method, let url, let headers, let body, let maximumBodyBytes, let answers, let calls, let callbacks else {
            throw errors.combined
        }
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
        (self.maximumBodyBytes, self.answers, self.calls) = (maximumBodyBytes, answers, calls)
        needsAddress = !binding.needsNoEndpoint
        let placeholders = url.placeholders + (body?.placeholders ?? []) + headers.flatMap(\.placeholders)
        readsData = placeholders.contains { $0.isOfData }
        secrets = headers.compactMap(\.secret).flatMap { [$0] + Self.basicCredentials($0) }
        isReportedByMessageID = callbacks?.referenceKind == .message
    }

    /// Returns the decoded credentials of an Authorization header for HTTP Basic, because a service may repeat them decoded.
    private static func basicCredentials(_ header: String) -> [String] {
        let words = header.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "basic", let bytes = Base64.decode(String(words[1])) else { return [] }
        let pair = String(decoding: bytes, as: UTF8.self)
        return [pair] + pair.split(separator: ":", maxSplits: 1).dropFirst().map(String.init)
    }

    private static func method(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> ServiceMethod {
        let name = settings.text("method") ?? "POST"
        guard let method = ServiceMethod(rawValue: name) else {
            let known = ServiceMethod.allCases.map(\.rawValue).joined(separator: ", ")
            throw settings.error("method", "\"\(name)\" is not one of \(known)")
        }
        return method
    }

    private static func url(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> URLTemplate {
        let text = try settings.required("url")
        return try settings.parsed("url") { () throws(SettingProblem) in try URLTemplate(text) }
    }

    private static func body(
        _ settings: ProviderSettings, of method: ServiceMethod, contentType: String
    ) throws(ProviderConfigurationError) -> BodyTemplate? {
        let text = settings.text("body")
        guard method.hasBody else {
            if text != nil { throw settings.error("body", "\(method.rawValue) sends no body") }
            return nil
        }
        return try settings.parsed("body") { () throws(SettingProblem) in try BodyTemplate(text, contentType: contentType) }
    }
}

enum ServiceMethod: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    var hasBody: Bool {
        switch self {
        case .post, .put, .patch: true
        case .get, .delete: false
        }
    }
}
