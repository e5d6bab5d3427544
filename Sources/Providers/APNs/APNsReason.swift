import TidingsCore

/// Why APNs did not carry out a request, by Apple's own words, in the order of their statuses.
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
    /// What Apple's servers answer in place of the documented spelling above.
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
    /// What it means for the delivery.
    ///
    /// - `BadDeviceToken` gives up no device: a token of the other environment gets the same answer, and with the wrong endpoint configured
    ///   every device would. It is never retried, because APNs soon disconnects whoever repeats it. Nor is `DeviceTokenNotForTopic`: it may
    ///   be the topic that is wrong. A token that was good once ends as `Unregistered`.
    /// - Wrong topics are the operator's: the topic is a setting.
    /// - Apple asks to wait 15 minutes after 500 and 503. The schedule of retries is the worker's, which backs off by itself and knows when
    ///   the notification expires, so no time is asked for here.
    /// - `TooManyRequests` is about one device, not about the provider.
    ///
    /// - Parameter after: what `Retry-After` asked for, which Apple does not document.
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

    /// Whether the connection it came on is of no more use: later requests need another.
    var spoilsConnection: Bool {
        switch self {
        case .idleTimeout, .unrelatedKeyIDInToken, .tooManyProviderTokenUpdates, .serviceUnavailable, .shutdown: true
        default: false
        }
    }

    /// What an operator may not read out of Apple's word.
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
