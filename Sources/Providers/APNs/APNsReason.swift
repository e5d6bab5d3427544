import TidingsCore

/// Apple's reasons for refusing a request, in the order of their statuses.
enum APNsReason: String, Sendable, CaseIterable {
    // 400
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case idleTimeout = "IdleTimeout"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    // 403
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
    /// The spelling that Apple's servers send instead of the documented one above.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case expiredProviderToken = "ExpiredProviderToken"
    case forbidden = "Forbidden"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    // 404 and 405
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    // 410
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    // 413 and 429
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    // 500 and 503
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"
}

extension APNsReason {
    /// Returns the outcome of the delivery.
    ///
    /// - `BadDeviceToken` does not remove the device. A token of the other environment gets the same answer, and with a wrong endpoint
    ///   setting every device would get it. The delivery is never retried, because APNs soon disconnects a client that repeats the request.
    /// - `DeviceTokenNotForTopic` does not remove the device either, and is never retried: the topic may be wrong. A token that was once
    ///   valid ends as `Unregistered`.
    /// - Wrong topics are the operator's mistake, because the topic is a setting.
    /// - Apple asks for a pause of 15 minutes after 500 and 503. This table does not: the worker has a backoff of its own and
    ///   knows when the notification expires.
    /// - `TooManyRequests` is about one device, not about the provider.
    ///
    /// - Parameter after: the pause from `Retry-After`, which Apple does not document.
    func outcome(after: Duration?) -> Outcome {
        switch self {
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType, .missingDeviceToken,
            .payloadEmpty:
            .rejected(.providerRejected)
        case .badDeviceToken, .deviceTokenNotForTopic: .rejected(.tokenMalformed)
        case .payloadTooLarge: .rejected(.payloadTooLarge)
        case .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken,
            .badEnvironmentKeyInToken, .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken, .badPath,
            .methodNotAllowed:
            .misconfigured(.misconfigured)
        case .expiredToken, .unregistered: .endpointGone
        case .tooManyProviderTokenUpdates, .tooManyRequests: .retry(after: after, .providerThrottled)
        case .idleTimeout, .unrelatedKeyIDInToken: .retry(after: after, .connectionFailed)
        case .internalServerError, .serviceUnavailable, .shutdown: .retry(after: after, .providerUnavailable)
        }
    }

    /// Whether the connection of the answer is unusable. Later requests need another connection.
    var spoilsConnection: Bool {
        switch self {
        case .idleTimeout, .unrelatedKeyIDInToken, .tooManyProviderTokenUpdates, .serviceUnavailable, .shutdown: true
        default: false
        }
    }

    /// An explanation for the operator, if Apple's reason is not clear by itself.
    var explanation: String? {
        switch self {
        case .badDeviceToken: "it is no token of this environment, production or sandbox"
        case .deviceTokenNotForTopic: "the token belongs to another app than the topic"
        case .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken: "the key is for the other environment, production or sandbox"
        case .expiredProviderToken:
            "it was signed within the hour by the clock here, which must differ from Apple's: set the clock of this machine"
        default: nil
        }
    }
}
