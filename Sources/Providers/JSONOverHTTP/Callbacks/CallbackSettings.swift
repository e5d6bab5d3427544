import TidingsCore
import TidingsCrypto
import TidingsEncodings
import TidingsProvider

/// The settings of callbacks: how the service proves itself, and where its events have their parts.
enum CallbackSettings {
    /// In bytes. A shorter secret can be guessed by a machine that tries.
    static let shortestSecret = 16
    /// The most secrets at once. A rotation needs two.
    static let maximumSecrets = 4

    /// The settings of the catalogue, in the order of the documentation.
    static let declarations = [
        ProviderSetting(
            "callbackAuthentication",
            "How the service proves that it sent a callback: hmac, standardWebhooks or secret; empty if it sends no callbacks."),
        ProviderSetting(
            "callbackSecret", "The secret that the service and Tidings share: `env:NAME` or `file:/path`; during a rotation one a line.",
            isSecret: true),
        ProviderSetting("callbackHeader", "The header with the signature (hmac) or with the secret itself (secret)."),
        ProviderSetting("callbackSignaturePrefix", "For hmac: the text before the signature in its header, such as `sha256=`."),
        ProviderSetting("callbackSignatureEncoding", "For hmac: hex or base64.", defaultValue: SignatureEncoding.hex.rawValue),
        ProviderSetting("callbackTimestampHeader", "For hmac: the header with the time of sending in Unix seconds; empty for none."),
        ProviderSetting(
            "callbackSignedText",
            "For hmac: the signed text with `{{timestamp}}` and `{{body}}`; empty for the body, or for timestamp, full stop and body."),
        ProviderSetting(
            "callbackToleranceSeconds", "The largest difference between the time of sending and the clock, 1 to 3600 seconds.",
            defaultValue: "300"),
        ProviderSetting(
            "callbackEventsPath", "A JSON pointer to the array of events; empty if the body is an array of events, or one event."),
        ProviderSetting(
            "callbackReference",
            "What names the delivery in an event: delivery (the idempotencyKey, which the service repeats) or message (the messageIdPath).",
            defaultValue: ReferenceKind.delivery.rawValue),
        ProviderSetting("callbackReferencePath", "A JSON pointer to that name in an event."),
        ProviderSetting("callbackStatePath", "A JSON pointer to the word in an event that tells what happened."),
        ProviderSetting(
            "callbackStates",
            "The meaning of each word, by commas or lines: `read = engaged`. Meanings: delivered, engaged, failed, gone, ignored; "
                + "after failed, a reason code may stand."),
        ProviderSetting("callbackTimePath", "A JSON pointer to the time of an event: RFC 3339, or Unix seconds or milliseconds."),
        ProviderSetting("callbackEventIdPath", "A JSON pointer to the service's own id of an event, by which a repetition is recognised."),
    ]

    /// Returns the rules of events. Nil if the service sends no callbacks. Reads no secret: a process that only sends needs none.
    static func rules(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> CallbackRules? {
        guard settings.text("callbackAuthentication") != nil else {
            for setting in declarations where settings.text(setting.name).map({ $0 != setting.defaultValue }) == true {
                throw settings.error("callbackAuthentication", "must be set, because \(setting.name) is")
            }
            return nil
        }
        var errors = SettingErrors(of: settings)
        let kind = errors.collect(try referenceKind(settings))
        let reference = errors.collect(try requiredPath("callbackReferencePath", settings))
        let state = errors.collect(try requiredPath("callbackStatePath", settings))
        let events = errors.collect(try path("callbackEventsPath", settings))
        let states = errors.collect(try Self.states(settings))
        let time = errors.collect(try path("callbackTimePath", settings))
        let key = errors.collect(try path("callbackEventIdPath", settings))
        guard let kind, let reference, let state, let events, let states, let time, let key else { throw errors.combined }
        return CallbackRules(
            eventsPath: events, referenceKind: kind, referencePath: reference, statePath: state, states: states, timePath: time,
            keyPath: key)
    }

    private static func referenceKind(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> ReferenceKind {
        let kind: ReferenceKind = try settings.choice("callbackReference", default: .delivery)
        if kind == .message, settings.text("messageIdPath") == nil {
            throw settings.error("messageIdPath", "must be set, because callbackReference is message")
        }
        return kind
    }

    private static func requiredPath(
        _ setting: String, _ settings: ProviderSettings
    ) throws(ProviderConfigurationError) -> AnswerPath {
        let text = try settings.required(setting, "must be set, because callbackAuthentication is")
        return try settings.parsed(setting) { () throws(SettingProblem) in try AnswerPath(text) }
    }

    /// Returns the check of requests. Call it if there are ``rules(_:)``.
    static func authentication(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> CallbackAuthentication {
        // Everything else depends on the scheme.
        let scheme: CallbackScheme = try settings.choice("callbackAuthentication", default: .hmac)
        var errors = SettingErrors(of: settings)
        let tolerance = errors.collect(try settings.integer("callbackToleranceSeconds", default: 300, in: 1...3_600))
        let secrets = errors.collect(try Self.secrets(settings, of: scheme))
        // A secret that is missing here does not hide an error of the headers.
        let method = errors.collect(try Self.method(of: scheme, secrets: secrets ?? [], settings))
        guard let tolerance, secrets != nil, let method else { throw errors.combined }
        return CallbackAuthentication(method: method, tolerance: .seconds(tolerance))
    }

    private static func secrets(
        _ settings: ProviderSettings, of scheme: CallbackScheme
    ) throws(ProviderConfigurationError) -> [String] {
        let text = try settings.requiredSecret("callbackSecret")
        let secrets = text.split(whereSeparator: \.isNewline).map { String($0.trimmingBlanks) }.filter { !$0.isEmpty }
        guard secrets.count <= maximumSecrets else {
            throw settings.error("callbackSecret", "has \(secrets.count) lines; there may be \(maximumSecrets) secrets")
        }
        if scheme != .standardWebhooks, secrets.contains(where: { $0.utf8.count < shortestSecret }) {
            throw settings.error("callbackSecret", "a secret has fewer than \(shortestSecret) bytes")
        }
        return secrets
    }

    private static func method(
        of scheme: CallbackScheme, secrets: [String], _ settings: ProviderSettings
    ) throws(ProviderConfigurationError) -> CallbackAuthentication.Method {
        switch scheme {
        case .hmac: return .hmac(try signedBody(settings), keys: secrets.map { Array($0.utf8) })
        case .secret: return .secret(header: try header("callbackHeader", settings), secrets: secrets)
        case .standardWebhooks:
            var keys: [StandardWebhookKey] = []
            for secret in secrets {
                keys.append(try settings.parsed("callbackSecret") { () throws(SettingProblem) in try StandardWebhookKey(secret) })
            }
            return .standardWebhooks(keys)
        }
    }

    private static func path(_ setting: String, _ settings: ProviderSettings) throws(ProviderConfigurationError) -> AnswerPath? {
        guard let text = settings.text(setting) else { return nil }
        return try settings.parsed(setting) { () throws(SettingProblem) in try AnswerPath(text) }
    }

    private static func header(_ setting: String, _ settings: ProviderSettings) throws(ProviderConfigurationError) -> String {
        let name = try settings.required(
            setting, "must be set, because callbackAuthentication is \(settings.text("callbackAuthentication") ?? "")")
        guard isHeaderName(name) else { throw settings.error(setting, "\"\(name)\" is not the name of a header") }
        return name
    }

    // MARK: Signed text

    private static func signedBody(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> SignedBody {
        let timestampHeader = settings.text("callbackTimestampHeader") == nil ? nil : try header("callbackTimestampHeader", settings)
        let standard = timestampHeader == nil ? "{{body}}" : "{{timestamp}}.{{body}}"
        let signed = try settings.parsed("callbackSignedText") { () throws(SettingProblem) in
            try SignedBody.text(settings.text("callbackSignedText") ?? standard, hasTimestamp: timestampHeader != nil)
        }
        return SignedBody(
            header: try header("callbackHeader", settings), prefix: settings.text("callbackSignaturePrefix") ?? "",
            encoding: try settings.choice("callbackSignatureEncoding", default: .hex), timestampHeader: timestampHeader, text: signed)
    }

    // MARK: Words

    private static func states(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> [String: DeliveryReport.Outcome] {
        let text = try settings.required("callbackStates", "must be set, because callbackAuthentication is")
        return try settings.parsed("callbackStates") { () throws(SettingProblem) in
            var states: [String: DeliveryReport.Outcome] = [:]
            for entry in text.split(whereSeparator: { $0 == "," || $0.isNewline }) where !entry.allSatisfy(\.isWhitespace) {
                let sides = entry.split(separator: "=", omittingEmptySubsequences: false).map { String($0.trimmingBlanks) }
                guard sides.count == 2, !sides[0].isEmpty else {
                    throw SettingProblem("\"\(entry.trimmingBlanks)\" is not \"word = meaning\"")
                }
                guard states.updateValue(try outcome(sides[1]), forKey: sides[0]) == nil else {
                    throw SettingProblem("the word \"\(sides[0])\" is there twice")
                }
            }
            return states
        }
    }

    private static func outcome(_ text: String) throws(SettingProblem) -> DeliveryReport.Outcome {
        let words = text.split(separator: " ")
        switch (words.first, words.count) {
        case ("delivered", 1): return .delivered
        case ("engaged", 1): return .engaged
        case ("gone", 1): return .failed(.endpointGone, endpointGone: true)
        case ("ignored", 1): return .ignored
        case ("failed", 1): return .failed(.providerRejected, endpointGone: false)
        case ("failed", 2):
            guard let reason = ReasonCode(rawValue: String(words[1])), failures.contains(reason) else {
                throw SettingProblem(
                    "\"\(words[1])\" is no reason of a failure; there are: \(failures.map(\.rawValue).joined(separator: ", "))")
            }
            return .failed(reason, endpointGone: false)
        default: throw SettingProblem("\"\(text)\" is none of delivered, engaged, failed, gone, ignored")
        }
    }

    /// The reasons that a service can give for a message that did not arrive.
    private static let failures: [ReasonCode] = [
        .providerRejected, .providerThrottled, .providerUnavailable, .timeout, .addressRefused, .payloadTooLarge, .tokenMalformed,
    ]
}

extension CallbackAuthentication.Method {
    fileprivate static func secret(header: String, secrets: [String]) -> Self {
        .secret(header: header, digests: secrets.map { SHA256.hash(Array($0.utf8)) })
    }
}
