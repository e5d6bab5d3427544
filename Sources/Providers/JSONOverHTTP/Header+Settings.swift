import TidingsCore
import TidingsProvider

extension Header {
    /// Returns the headers in the order in which they are sent. The delivery's `traceparent` comes last, unless the settings already have a
    /// header of that name.
    ///
    /// - Parameter contentType: nil for a call without a body.
    static func all(
        _ settings: ProviderSettings, contentType: String?, _ binding: ProviderBinding, _ environment: [String: String]
    ) throws(ProviderConfigurationError) -> [Header] {
        var headers: [Header] = []
        var errors = SettingErrors(of: settings)
        let encoding = errors.collect(try settings.choice("headerEncoding", default: HeaderEncoding.encodedWords)) ?? .encodedWords
        func add(_ setting: String, _ make: () throws(SettingProblem) -> Header) {
            if let header = errors.collect(try settings.parsed(setting, make)) { headers.append(header) }
        }
        if let contentType {
            add("contentType") { () throws(SettingProblem) in try Header("content-type", template: contentType, encoding) }
        }
        let idempotencyHeader = settings.text("idempotencyHeader") ?? "Idempotency-Key"
        if idempotencyHeader != "none" {
            add("idempotencyHeader") { () throws(SettingProblem) in
                try Header(try name(idempotencyHeader, besides: headers), template: "{{idempotencyKey}}", encoding)
            }
        }
        if let secret = errors.collect(try settings.secret("authorization")) ?? nil {
            add("authorization") { () throws(SettingProblem) in try Header("authorization", secret: secret) }
        }
        for line in settings.text("headers")?.split(whereSeparator: \.isNewline) ?? [] where !line.allSatisfy(\.isWhitespace) {
            let parts = errors.collect(
                try settings.parsed("headers") { () throws(SettingProblem) in try Self.parts(of: line, besides: headers) })
            guard let (name, value) = parts else { continue }
            if value.hasPrefix("env:") || value.hasPrefix("file:") {
                guard let secret = errors.collect(try self.secret(value, binding, environment)) else { continue }
                add("headers") { () throws(SettingProblem) in try Header(name, secret: secret) }
            } else {
                add("headers") { () throws(SettingProblem) in try Header(name, template: value, encoding, refusingSecrets: true) }
            }
        }
        if !headers.contains(where: { $0.name.lowercased() == "traceparent" }) {
            add("headers") { () throws(SettingProblem) in try Header("traceparent", template: "{{traceparent}}", encoding) }
        }
        guard errors.isEmpty else { throw errors.combined }
        return headers
    }

    private init(
        _ name: String, template text: String, _ encoding: HeaderEncoding, refusingSecrets: Bool = false
    ) throws(SettingProblem) {
        let template = try ValueTemplate(text)
        guard isHeaderText(template.literal) else { throw SettingProblem("the value of \(name) holds a control character") }
        let isPublic = !template.placeholders.isEmpty || !Self.speaksOfSecret(name)
        guard isPublic || !refusingSecrets else {
            throw SettingProblem("the value of \(name) is named, not written down: env:NAME or file:/path")
        }
        self.name = name
        value = .template(template, encoding)
    }

    private init(_ name: String, secret text: String) throws(SettingProblem) {
        guard isHeaderText(text) else { throw SettingProblem("the secret of \(name) holds a control character") }
        self.name = name
        value = .secret(text)
    }

    /// Returns the name and the value of a line.
    private static func parts(of line: Substring, besides taken: [Header]) throws(SettingProblem) -> (name: String, value: String) {
        guard let colon = line.firstIndex(of: ":") else { throw SettingProblem("a line is not \"Name: value\"") }
        return (try name(line[..<colon].trimmingBlanks, besides: taken), line[line.index(after: colon)...].trimmingBlanks)
    }

    /// Returns the name if an operator may choose it and no earlier header has it.
    private static func name(_ text: String, besides taken: [Header]) throws(SettingProblem) -> String {
        guard isHeaderName(text) else { throw SettingProblem("\"\(text)\" is not the name of a header") }
        switch text.lowercased() {
        case "authorization": throw SettingProblem("Authorization is a setting of its own, authorization")
        case "content-type": throw SettingProblem("Content-Type is a setting of its own, contentType")
        case "connection", "content-length", "expect", "host", "transfer-encoding": throw SettingProblem("\(text) is not for a setting")
        case let name where taken.contains { $0.name.lowercased() == name }: throw SettingProblem("\(text) is there twice")
        default: return text
        }
    }

    /// Returns the secret that a header's value refers to, by the rules of a secret setting.
    private static func secret(
        _ reference: String, _ binding: ProviderBinding, _ environment: [String: String]
    ) throws(ProviderConfigurationError) -> String {
        var lone = binding
        lone.settings = ["headers": reference]
        return try ProviderSettings(lone, declared: ServiceConfiguration.settings, environment: environment).requiredSecret("headers")
    }

    /// Whether the name suggests a secret, as for settings. Such a value must not stand in the catalogue, which is stored and shown.
    private static func speaksOfSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["secret", "password", "token", "key", "cookie"].contains { name.contains($0) }
    }
}

/// Whether the text is a token of RFC 9110 section 5.6.2.
func isHeaderName(_ text: String) -> Bool {
    !text.isEmpty
        && text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": true
            default: "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar)
            }
        }
}

extension Substring {
    /// The text without white space at both ends.
    var trimmingBlanks: String {
        let start = drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
