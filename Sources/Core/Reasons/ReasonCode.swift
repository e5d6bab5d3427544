/// The reason for the state of a delivery, intent or message. The list is closed: code, SQL, command line and documentation print from it.
/// The meaning of a released code never changes.
///
/// ``explanation`` gives the meaning of a code and the next step.
public enum ReasonCode: String, CaseIterable, Sendable, Hashable {
    // MARK: Not sent
    case channelDisabled, categoryDisabled, typeDisabled, noDevice, noAddress, permissionDenied, noProvider, sameDevice
    case quietHoursDrop, escalationNotNeeded, collapsed, recipientErased, typeRetired, endpointGone, channelNotEligible

    // MARK: Waiting
    case quietHours, scheduledFor, awaitingEscalation, afterValidity, providerGone, paused, timeZoneUnknown

    // MARK: Notes
    case scheduledInPast, expiresWhileHeld, placeholderEmpty, fieldLeftOut, possibleDuplicate, leaseExpired, unregistered, deviceLimit

    // MARK: Attempts
    case providerThrottled, providerUnavailable, timeout, connectionFailed, providerRejected, httpStatus, redirectRefused
    case addressRefused, responseTooLarge, tlsFailed, dnsFailed, misconfigured, retriesExhausted, outcomeUnknown, workerDied
    case breakerOpen, rateLimited, tokenMalformed, payloadTooLarge, contentMissing

    // MARK: Other ends
    case expired, cancelledByProducer, cancelledByOperator, accepted, delivered

    // MARK: Rejected intents
    case notJSON, invalidUTF8, duplicateKey, tooDeep, nulCharacter, unsupportedContentType, missingAttribute, invalidAttribute
    case unsupportedSpecVersion, unknownType, schemaViolation, tooLarge, messageTooLarge, tooManyEvents, tooManyRecipients
    case emptyRecipient, noRecipient, scheduledTooFarInPast, scheduledTooFarAhead, idempotencyConflict, tenantForbidden
    case sourceNotAllowed, producerUnknown, criticalNotAllowed, unknownChannel, unknownMarket, unroutable, headersTooDeep, headersTooLarge
    case internalError

    // MARK: Dead messages
    case poison, evicted, undecodablePack

    /// The part of the list that the code belongs to.
    public var kind: ReasonKind {
        switch self {
        case .channelDisabled, .categoryDisabled, .typeDisabled, .noDevice, .noAddress, .permissionDenied, .noProvider,
            .sameDevice, .quietHoursDrop, .escalationNotNeeded, .collapsed, .recipientErased, .typeRetired, .endpointGone,
            .channelNotEligible:
            .suppressed
        case .quietHours, .scheduledFor, .awaitingEscalation, .afterValidity, .providerGone, .paused, .timeZoneUnknown:
            .held
        case .scheduledInPast, .expiresWhileHeld, .placeholderEmpty, .fieldLeftOut, .possibleDuplicate, .leaseExpired, .unregistered,
            .deviceLimit:
            .note
        case .providerThrottled, .providerUnavailable, .timeout, .connectionFailed, .providerRejected, .httpStatus,
            .redirectRefused, .addressRefused, .responseTooLarge, .tlsFailed, .dnsFailed, .misconfigured, .retriesExhausted,
            .outcomeUnknown, .workerDied, .breakerOpen, .rateLimited, .tokenMalformed, .payloadTooLarge, .contentMissing:
            .attempt
        case .expired, .cancelledByProducer, .cancelledByOperator, .accepted, .delivered:
            .end
        case .notJSON, .invalidUTF8, .duplicateKey, .tooDeep, .nulCharacter, .unsupportedContentType, .missingAttribute,
            .invalidAttribute, .unsupportedSpecVersion, .unknownType, .schemaViolation, .tooLarge, .messageTooLarge,
            .tooManyEvents, .tooManyRecipients, .emptyRecipient, .noRecipient, .scheduledTooFarInPast, .scheduledTooFarAhead,
            .idempotencyConflict, .tenantForbidden, .criticalNotAllowed, .unknownChannel, .unknownMarket, .unroutable,
            .headersTooDeep, .headersTooLarge, .internalError, .producerUnknown, .sourceNotAllowed:
            .rejected
        case .poison, .evicted, .undecodablePack:
            .dead
        }
    }
}
