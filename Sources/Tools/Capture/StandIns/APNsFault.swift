import TidingsCore
import TidingsJSON

/// An error of APNs, named by the reason in its body.
enum APNsFault: String, Error, Sendable, CaseIterable {
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
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    /// The HTTP status.
    var status: Int {
        switch self {
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic, .deviceTokenNotForTopic,
            .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken, .missingTopic, .payloadEmpty, .topicDisallowed:
            400
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken, .expiredProviderToken,
            .forbidden, .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        }
    }

    /// Returns the fault that a device token asks for, such as `test+BadDeviceToken`. If one reason is a prefix of another, the longer one
    /// counts.
    static func named(in recipient: String) -> APNsFault? {
        AskedEnd(of: recipient).flatMap { asked in
            allCases.filter { asked.begins(with: $0.rawValue) }.max { $0.rawValue.utf8.count < $1.rawValue.utf8.count }
        }
    }

    /// - Parameters:
    ///   - id: the `apns-id`.
    ///   - now: the time since when the device is gone, for faults with the status 410.
    func response(id: String, now: Timestamp) -> CaptureAnswer.Response {
        var json = JSONWriter()
        json.beginObject()
        json.member("reason", rawValue)
        if status == 410 { json.member("timestamp", now.wholeMilliseconds) }
        json.endObject()
        return .json(status, json.bytes, headers: [("apns-id", id)])
    }
}
