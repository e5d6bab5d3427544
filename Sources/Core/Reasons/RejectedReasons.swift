extension ReasonExplanation {
    /// The reasons of intents that were refused at intake.
    static let rejected: [ReasonExplanation] = [
        ReasonExplanation(
            .notJSON,
            "The message is not JSON.",
            "Send one CloudEvents JSON object, or an array of them with the batch content type."
        ),
        ReasonExplanation(.invalidUTF8, "The text is not valid UTF-8.", "Encode the message as UTF-8."),
        ReasonExplanation(.duplicateKey, "An object has the same key twice.", "Send each key once."),
        ReasonExplanation(.tooDeep, "Arrays and objects are nested deeper than the limit.", "Flatten the payload."),
        ReasonExplanation(.nulCharacter, "A string contains the character U+0000, which cannot be stored.", "Remove it."),
        ReasonExplanation(
            .unsupportedContentType,
            "The content type is none that is understood.",
            "Use application/cloudevents+json, application/cloudevents-batch+json, or binary mode with JSON data."
        ),
        ReasonExplanation(.missingAttribute, "A required attribute or field is missing.", "Add the one the pointer names."),
        ReasonExplanation(
            .invalidAttribute,
            "An attribute or field has a value that is not allowed.",
            "Correct the one the pointer names."
        ),
        ReasonExplanation(.unsupportedSpecVersion, "The CloudEvents version is not 1.0.", "Set specversion to 1.0."),
        ReasonExplanation(
            .unknownType,
            "The catalogue has no such type.",
            "Declare the type with `tidings catalogue apply`, then replay.",
            retryable: true
        ),
        ReasonExplanation(
            .schemaViolation,
            "The data does not fit the type's schema.",
            "Correct the field the pointer names; or correct the schema in the catalogue, then replay.",
            retryable: true
        ),
        ReasonExplanation(
            .tooLarge,
            "The event is larger than the limit for one event.",
            "Send a reference to large content instead of the content."
        ),
        ReasonExplanation(.messageTooLarge, "The message is larger than the limit for one message.", "Send smaller batches."),
        ReasonExplanation(.tooManyEvents, "The batch has more events than the limit.", "Send smaller batches."),
        ReasonExplanation(.tooManyRecipients, "The intent names more recipients than the limit.", "Split it into several intents."),
        ReasonExplanation(.emptyRecipient, "A recipient is the empty string.", "Name the person."),
        ReasonExplanation(.noRecipient, "The intent names no recipient.", "Add recipient or recipients to the data."),
        ReasonExplanation(
            .scheduledTooFarInPast,
            "The scheduled time is more than a day ago.",
            "Check the producer's clock; send without scheduledFor to send now."
        ),
        ReasonExplanation(.scheduledTooFarAhead, "The scheduled time is more than two years ahead.", "Schedule it nearer to its time."),
        ReasonExplanation(
            .idempotencyConflict,
            "The same source, id and recipient came before with other content.",
            "Give every new event its own id."
        ),
        ReasonExplanation(
            .tenantNotAllowed,
            "This producer may not send for this tenant.",
            "Allow the tenant for the producer's user in the catalogue, then replay.",
            retryable: true
        ),
        ReasonExplanation(
            .sourceNotAllowed,
            "This producer may not send with this source: it has sources of its own, or the source is another producer's.",
            "Correct the source, or allow it for the producer in the catalogue; then replay.",
            retryable: true
        ),
        ReasonExplanation(
            .producerUnknown,
            "The catalogue names producers, and nobody has vouched for who published this message.",
            "Set user_id to the user of the connection and publish it again. A relay's user needs `vouches: true` in the catalogue."
        ),
        ReasonExplanation(
            .criticalNotAllowed,
            "The type does not allow critical.",
            "Set allowsCritical on the type, or send without critical.",
            retryable: true
        ),
        ReasonExplanation(
            .unknownChannel,
            "A channel has a name that does not exist.",
            "Use push, local, inApp, email, sms, webPush or webhook."
        ),
        ReasonExplanation(
            .unknownMarket,
            "The catalogue has no such market.",
            "Declare the market, or correct its name; then replay.",
            retryable: true
        ),
        ReasonExplanation(
            .unroutable,
            "No queue is bound for the message's routing key.",
            "Publish with the routing key `<category>.<type>`."
        ),
        ReasonExplanation(
            .headersTooDeep,
            "The message's headers are nested deeper than the limit.",
            "Send flat headers; or replay it, which publishes it without headers.",
            retryable: true
        ),
        ReasonExplanation(
            .headersTooLarge,
            "The message's headers exceed the limit, and attributes of binary mode may be among those left out.",
            "Send fewer and shorter headers, or structured mode."
        ),
        ReasonExplanation(
            .internalError,
            "We failed while handling it, and it is not the producer's fault.",
            "Replay it; if it comes back, report it with its detail.",
            retryable: true
        ),
    ]

    /// The reasons of internal messages that could not be processed.
    static let dead: [ReasonExplanation] = [
        ReasonExplanation(
            .poison,
            "Handling the message ended the worker, again and again.",
            "Read it with `tidings dead show`; replay it after the cause is corrected.",
            retryable: true
        ),
        ReasonExplanation(
            .undecodablePack,
            "The message is not a pack this version can read.",
            "Check what publishes to the delivery queues, and that all roles run the same version.",
            retryable: true
        ),
    ]
}
