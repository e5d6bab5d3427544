extension ReasonExplanation {
    /// The reasons of intents that were refused at intake.
    static let rejected: [ReasonExplanation] = [
        ReasonExplanation(
            .notJSON,
            "The message is not JSON, or it is JSON of another form than an event.",
            "Send one CloudEvents JSON object, or an array of them with the batch content type."
        ),
        ReasonExplanation(.invalidUTF8, "The text is not valid UTF-8.", "Encode the message as UTF-8."),
        ReasonExplanation(.duplicateKey, "An object has the same key twice.", "Send each key once."),
        ReasonExplanation(.tooDeep, "Arrays and objects are nested deeper than the limit.", "Flatten the payload."),
        ReasonExplanation(.nulCharacter, "A string contains the character U+0000, which cannot be stored.", "Remove the character."),
        ReasonExplanation(
            .unsupportedContentType,
            "The content type is not supported.",
            "Use application/cloudevents+json, application/cloudevents-batch+json, or binary mode with JSON data."
        ),
        ReasonExplanation(
            .missingAttribute, "A required attribute or field is missing.", "Add the attribute or field that the pointer names."),
        ReasonExplanation(
            .invalidAttribute,
            "An attribute or field has a value that is not allowed.",
            "Correct the attribute or field that the pointer names."
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
            "Correct the field that the pointer names. Or correct the schema in the catalogue, then replay.",
            retryable: true
        ),
        ReasonExplanation(
            .tooLarge,
            "The event is larger than the limit for one event.",
            "Send a reference to large content instead of the content."
        ),
        ReasonExplanation(.messageTooLarge, "The message is larger than the limit for one message.", "Send smaller batches."),
        ReasonExplanation(.tooManyEvents, "The batch has more events than the limit.", "Send smaller batches."),
        ReasonExplanation(.tooManyRecipients, "The intent names more recipients than the limit.", "Split the intent into several intents."),
        ReasonExplanation(.emptyRecipient, "A recipient is the empty string.", "Name the person."),
        ReasonExplanation(.noRecipient, "The intent names no recipient.", "Add recipient or recipients to the data."),
        ReasonExplanation(
            .scheduledTooFarInPast,
            "The scheduled time is more than a day ago.",
            "Check the producer's clock. To send now, leave scheduledFor out."
        ),
        ReasonExplanation(
            .scheduledTooFarAhead, "The scheduled time is more than two years ahead.", "Send the intent closer to its scheduled time."),
        ReasonExplanation(
            .idempotencyConflict,
            "An earlier event had the same source, id and recipient but other content.",
            "Give every new event its own id."
        ),
        ReasonExplanation(
            .tenantForbidden,
            "This producer may not send for this tenant.",
            "Allow the tenant for the producer's user in the catalogue, then replay.",
            retryable: true
        ),
        ReasonExplanation(
            .sourceNotAllowed,
            "This producer may not send with this source: the catalogue gives the producer other sources, or gives this source to another producer.",
            "Correct the source, or allow the source for the producer in the catalogue. Then replay.",
            retryable: true
        ),
        ReasonExplanation(
            .producerUnknown,
            "The catalogue names producers, and no trusted user has vouched for the producer of this message.",
            "Set user_id to the user of the connection and publish the message again. A relay's user needs `vouches: true` in the catalogue."
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
            "Declare the market or correct its name. Then replay.",
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
            "Send flat headers. Or replay the message, which publishes it without its nested headers.",
            retryable: true
        ),
        ReasonExplanation(
            .headersTooLarge,
            "The message's headers exceed the limit. Attributes of binary mode may be missing.",
            "Send fewer and shorter headers, or structured mode."
        ),
        ReasonExplanation(
            .internalError,
            "Tidings failed while handling the event. The producer is not at fault.",
            "Replay the event. If the error repeats, report it with its detail.",
            retryable: true
        ),
    ]

    /// The reasons of internal messages that could not be processed.
    static let dead: [ReasonExplanation] = [
        ReasonExplanation(
            .poison,
            "The worker crashed repeatedly while it handled the message.",
            "Read the message with `tidings dead show`. Replay the message after the cause is corrected.",
            retryable: true
        ),
        ReasonExplanation(
            .evicted,
            "The broker took the message out of its queue: the message had expired, or the queue was full. Tidings handles it all the same.",
            "Nothing for this message. Let the producer set expiresAt in the event in place of the AMQP property expiration. Remove a policy "
                + "of the broker that limits the time or the length of the queues.",
            retryable: true
        ),
        ReasonExplanation(
            .undecodablePack,
            "The message is not a pack that this version can read.",
            "Check which client publishes to the delivery queues, and that all roles run the same version.",
            retryable: true
        ),
    ]
}
