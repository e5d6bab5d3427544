import TidingsCore
import TidingsHTTP
import TidingsJSON
import TidingsProvider

/// The rules by which the answers of a service become results.
struct AnswerRules: Sendable {
    /// In characters. A longer message id is a mistake of the service and is not stored.
    static let longestMessageID = 256

    private let statuses: [StatusMeaning: StatusList]
    /// The value that the answer must have at a given place, beside a status of success.
    private let expected: (path: AnswerPath, value: String)?
    private let messageIDPath: AnswerPath?
    /// Whether success means that the person has the notification.
    private let delivered: Bool

    func read(_ result: HTTPResult, now: Timestamp) -> SendResult {
        switch result {
        case .failed(let failure):
            return SendResult(failure.outcome, detail: failure.message)
        case .response(let response):
            if meaning(of: response.status) == .success { return success(response) }
            return SendResult(refusal(response, now: now), status: response.status, detail: response.text)
        }
    }

    private func meaning(of status: Int) -> StatusMeaning? {
        StatusMeaning.allCases.first { statuses[$0]?.contains(status) == true }
    }

    private func refusal(_ response: HTTPResponse, now: Timestamp) -> Outcome {
        switch meaning(of: response.status) {
        case .retry: .retry(after: response.requestedPause(now: now), retryReason(response.status))
        case .gone: .endpointGone
        case .misconfigured: .misconfigured(.misconfigured)
        case .success, nil: Self.unlisted.outcome(of: response, now: now)
        }
    }

    /// The settings choose the statuses of a retry, so every status may be one of them.
    private func retryReason(_ status: Int) -> ReasonCode {
        if case .retry(let reason) = StatusRules().end(of: status) { reason } else { .httpStatus }
    }

    /// A status that no setting lists refuses the delivery.
    private static let unlisted = StatusRules([
        .init(300...399, .rejected(.redirectRefused), "the settings of the provider"),
        .init(200...599, .rejected(.providerRejected), "the settings of the provider"),
    ])

    /// Returns the result of a success status. The body counts only if a setting reads it. Only `successPath` needs a body that is JSON:
    /// without that setting, the status alone says that the service took the delivery.
    private func success(_ response: HTTPResponse) -> SendResult {
        guard expected != nil || messageIDPath != nil else {
            return SendResult(.accepted(providerMessageID: nil, delivered: delivered), status: response.status)
        }
        guard !response.bodyTruncated, let answer = try? JSON.parse(leniently: response.body) else {
            let problem = response.bodyTruncated ? "the answer is longer than read, or broke off" : "the answer is no JSON"
            let words = response.text.isEmpty ? problem : "\(problem): \(response.text)"
            guard expected == nil else { return SendResult(.unknown(.outcomeUnknown), status: response.status, detail: words) }
            return SendResult(
                .accepted(providerMessageID: nil, delivered: delivered), status: response.status, detail: "no message id: \(words)")
        }
        if let expected, expected.path.text(in: answer) != expected.value {
            return SendResult(.rejected(.providerRejected), status: response.status, detail: response.text)
        }
        let id = messageIDPath.flatMap { $0.text(in: answer) }
            .flatMap { (1...Self.longestMessageID).contains($0.count) && !AnswerPath.isLost($0) ? $0 : nil }
        return SendResult(.accepted(providerMessageID: id, delivered: delivered), status: response.status)
    }
}

// MARK: From the settings

extension AnswerRules {
    static let settings =
        StatusMeaning.allCases.map { ProviderSetting($0.rawValue, $0.explanation, defaultValue: $0.standard) } + [
            ProviderSetting(
                "successPath",
                "A JSON pointer into the answer, for a service that answers 200 to what it refuses: `/status`. Goes with successValue."),
            ProviderSetting("successValue", "The text, number or truth value that must stand at successPath, or the delivery was refused."),
            ProviderSetting(
                "messageIdPath",
                "A JSON pointer to the service's own id in the answer: `/result/id`. An answer without it means success without an id."),
            ProviderSetting(
                "delivered", "Whether success means that the delivery has arrived, and not only that the service took it.",
                defaultValue: "false"),
        ]

    init(_ settings: ProviderSettings) throws(ProviderConfigurationError) {
        var errors = SettingErrors(of: settings)
        let statuses = errors.collect(try Self.statuses(settings))
        let expected = errors.collect(try Self.expected(settings))
        let messageIDPath = errors.collect(try Self.path("messageIdPath", settings))
        let delivered = errors.collect(try settings.flag("delivered", default: false))
        guard let statuses, let expected, let messageIDPath, let delivered else { throw errors.combined }
        (self.statuses, self.expected, self.messageIDPath, self.delivered) = (statuses, expected, messageIDPath, delivered)
    }

    private static func expected(
        _ settings: ProviderSettings
    ) throws(ProviderConfigurationError) -> (path: AnswerPath, value: String)? {
        let path = try Self.path("successPath", settings)
        let value = settings.text("successValue")
        if path == nil, value != nil { throw settings.error("successPath", "must be set, because successValue is") }
        if path != nil, value == nil { throw settings.error("successValue", "must be set, because successPath is") }
        return path.flatMap { path in value.map { (path, $0) } }
    }

    private static func statuses(_ settings: ProviderSettings) throws(ProviderConfigurationError) -> [StatusMeaning: StatusList] {
        var lists: [StatusMeaning: StatusList] = [:]
        for meaning in StatusMeaning.allCases {
            let text = settings.text(meaning.rawValue) ?? meaning.standard
            let words = text.split { $0 == "," || $0.isWhitespace }.map(String.init)
            let list = try settings.parsed(meaning.rawValue) { () throws(SettingProblem) in try StatusList(words) }
            for (other, taken) in lists.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                guard let status = list.firstShared(with: taken) else { continue }
                let written = settings.text(meaning.rawValue) == nil ? other : meaning
                throw settings.error(
                    written.rawValue, "\(status) is in \(other.rawValue) and in \(meaning.rawValue), which is \(text)")
            }
            lists[meaning] = list
        }
        return lists
    }

    private static func path(_ setting: String, _ settings: ProviderSettings) throws(ProviderConfigurationError) -> AnswerPath? {
        guard let text = settings.text(setting) else { return nil }
        return try settings.parsed(setting) { () throws(SettingProblem) in try AnswerPath(text) }
    }
}
