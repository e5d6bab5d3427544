/// Every place where a person can stand: the tables of the store, and the places outside of the database.
///
/// `Documentation.docc/Erasing.md` shows the list. A table or a column that is new needs an entry here, or in the module that owns it. A
/// table of a ``TableRow`` has the columns of its declaration, and here further ones that no INSERT sets.
public enum PersonalPlaces {
    /// Every table of the store.
    public static let tables: [PersonalTable] = people + notifications + local + undecided + erasures + ids + house

    private static let people: [PersonalTable] = [
        PersonalTable(
            "recipients", .deletesPerson(["id"]),
            personal: """
                id time_zone quiet_start quiet_end disabled_channels disabled_categories enabled_types disabled_types market changed_at
                """,
            other: "tenant",
            sections: [
                .person(
                    "recipients", in: "id",
                    columns: """
                        r.time_zone, r.quiet_start, r.quiet_end, r.disabled_channels, r.disabled_categories, r.enabled_types,
                            r.disabled_types, r.market, r.changed_at
                        """)
            ]),
        // A token is a capability: whoever has it can send to it. So an export has its end.
        PersonalTable(
            "endpoints", .deletesPerson(["recipient_id"]),
            personal: """
                recipient_id id address permission gone_at changed_at time_zone locale app_version registered_at token_identity
                """,
            other: "tenant channel provider platform environment market gone_reason",
            sections: [
                .person(
                    "endpoints", in: "recipient_id", keys: "id text", of: "own_endpoints",
                    columns: """
                        r.id, r.channel, r.provider, r.address_end, r.permission, r.platform, r.environment, r.market,
                            r.time_zone, r.locale, r.app_version, r.registered_at, r.changed_at, r.gone_at, r.gone_reason
                        """)
            ]),
        PersonalTable(
            "addresses", .deletesPerson(["recipient_id"]),
            personal: """
                recipient_id id value identity secrets source consent consent_at verified_at suppressed_at suppressed_until
                suppressed_because created_at changed_at
                """,
            other: "tenant kind",
            sections: [
                .person(
                    "addresses", in: "recipient_id", keys: "id text", of: "own_addresses",
                    columns: """
                        r.id, r.kind, r.value, r.source, r.consent, r.consent_at, r.verified_at, r.suppressed_at, r.suppressed_until,
                            r.suppressed_because, r.created_at, r.changed_at
                        """)
            ]),
        PersonalTable(
            InboxRow.table, .step(.rows), personal: "seen_at read_at dismissed_at deleted_at snoozed_until woken_at", other: "changed",
            sections: [
                .person(
                    "inbox", in: "recipient_id", keys: "notification_id uuid",
                    columns: """
                        r.notification_id, r.type, r.category, r.title, r.body, r.data::json as data, r.image_url, r.group_key,
                            r.scheduled_for, r.created_at, r.seen_at, r.read_at, r.dismissed_at, r.deleted_at, r.snoozed_until, r.woken_at
                        """)
            ]),
        PersonalTable(
            "inboxes", .step(.rows), personal: "recipient_id wakes_at", other: "tenant position forgotten total unread snoozed",
            notExported: "counts of the entries, which are in inbox"),
        PersonalTable(
            "engagement", .deletesPerson(["recipient_id"]),
            personal: "recipient_id key event occurred_at told_at received_at device_id detail",
            other: "tenant notification_id type provider market",
            sections: [
                .person(
                    "engagement", in: "recipient_id", keys: "notification_id uuid, key uuid",
                    columns: """
                        nullif(r.notification_id, '00000000-0000-0000-0000-000000000000') as notification_id, r.event, r.occurred_at,
                            r.told_at, r.received_at, r.device_id, r.type, r.provider, r.market, r.detail::json as detail
                        """)
            ]),
        PersonalTable(
            "engagement_days", .deletesPerson(["recipient_id"]), personal: "recipient_id day n", other: "tenant",
            notExported: "the number of the events of a day; the events are in engagement"),
    ]

    private static let notifications: [PersonalTable] = [
        PersonalTable(
            "notifications", .step(.notifications),
            personal: """
                source event_id recipient_id title body data group_key collapse_key content_fields market channels scheduled_for traceparent
                decision
                """,
            other: "id tenant type category lane critical expires_at accepted_at planned catalogue",
            sections: [
                .person(
                    "notifications", in: "recipient_id", keys: "id uuid", of: "own_notifications",
                    columns: """
                        r.id, r.source, r.event_id, r.type, r.category, r.title, r.body, r.data::json as data,
                            r.content_fields::json as content_fields, r.group_key, r.collapse_key, r.market, r.critical, r.channels,
                            r.scheduled_for, r.expires_at, r.accepted_at, r.decision::json as decision
                        """)
            ]),
        PersonalTable(
            DecisionRow.table, .deletesWithNotification("notification_id"),
            sections: [
                .notification(
                    "decisions", of: "own_decisions",
                    columns: "r.notification_id, r.ordinal, r.at, r.decision::json as decision, r.moved_from, r.moved_because")
            ]),
        PersonalTable(
            EndedRow.table, .deletesWithNotification("notification_id"),
            sections: [
                .notification(
                    "deliveries", of: "own_deliveries",
                    columns: """
                        r.notification_id, r.ordinal, r.channel, r.provider, r.endpoint, r.state, r.reason, r.attempts,
                            r.provider_message_id, r.ended_at
                        """)
            ]),
        PersonalTable(
            AttemptRow.table, .deletesWithNotification("notification_id"),
            sections: [
                .notification(
                    "attempts", of: "own_attempts",
                    columns: """
                        r.notification_id, r.ordinal, r.attempt, r.channel, r.provider, r.outcome, r.reason, r.status, r.detail,
                            r.started_at, r.finished_at
                        """)
            ]),
        PersonalTable(
            "reports", .deletesWithNotification("notification_id"), personal: "key told_at",
            other: """
                notification_id ordinal reporter attempt channel provider outcome reason received_at state_before reason_before state_after
                moved
                """,
            sections: [
                .notification(
                    "reports", of: "own_reports",
                    columns: """
                        r.notification_id, r.ordinal, r.channel, r.provider, r.reporter, r.outcome, r.reason, r.told_at, r.received_at
                        """)
            ]),
        PersonalTable(
            DueRow.table, .step(.notifications),
            sections: [
                .notification(
                    "due", of: "own_due",
                    columns: "r.notification_id, r.ordinal, r.channel, r.provider, r.endpoint, r.due_at, r.kind, r.reason, r.since")
            ]),
        PersonalTable(
            PackRow.table, .step(.notifications), other: "confirmed_at claimed_at claimed_by lease_until claim",
            notExported: "deliveries on their way; their notification is exported"),
    ]

    private static let local: [PersonalTable] = [
        PersonalTable(
            "local_requests", .step(.devices),
            personal: "device_id recipient_id content collapse_key scheduled_for fires_at zone",
            other: """
                tenant notification_id ordinal type market expires_at accepted_at planned_at in_plan version confirmed_at ends_as end_reason
                """,
            sections: [
                .person(
                    "local_requests", in: "recipient_id", keys: "device_id text, notification_id uuid",
                    columns: """
                        r.device_id, r.notification_id, r.type, r.content::json as content, r.scheduled_for, r.expires_at, r.planned_at,
                            r.fires_at, r.zone, r.confirmed_at
                        """)
            ]),
        // Before the plans: a wake that is taken opens a plan.
        PersonalTable(
            "local_wakes", .deletesWithDevice("device_id"), personal: "device_id", other: "tenant due_at",
            notExported: "a wake waits for seconds"),
        PersonalTable(
            "local_plans", .deletesWithDevice("device_id"), personal: "device_id",
            other: "tenant version acked_version forgotten_version synced_at acked_at woken_at",
            notExported: "numbers of versions; the notifications are in local_requests"),
    ]

    /// Events that are no notification: not yet, or never.
    private static let undecided: [PersonalTable] = [
        PersonalTable(
            "outgoing", .step(.enqueued), personal: "event event_id", other: "id type created_at attempts producer",
            notExported: "an event waits for seconds, then it is a notification"),
        PersonalTable(
            "rejected", .step(.refused),
            personal: "message source event_id recipients headers raw sha256 replay_headers",
            other: """
                id fingerprint at last_at occurrences reason pointer tenant type names_others verified exchange routing_key content_type
                size replayable state acted_at producer look_on
                """,
            sections: [
                .refused(
                    "rejected", of: "own_rejected",
                    columns: "r.id, r.at, r.last_at, r.reason, r.source, r.event_id, r.type, r.state, r.event_base64")
            ]),
        PersonalTable(
            "dead", .step(.dead), personal: "message headers raw replay_headers",
            other: "id fingerprint at queue reason deaths exchange routing_key content_type size state acted_at producer look_on",
            notExported: "no reader of a dead letter tells whose it is; an erasure reads all of them"),
        PersonalTable(
            "reservations", .step(.notifications), personal: "source event_id",
            other: "key id tenant content_hash reserved_at cancelled_at cancel_reason",
            notExported: "an id of a notification and the name of its event"),
    ]

    private static let erasures: [PersonalTable] = [
        PersonalTable(
            "erasures", .step(.dead), personal: "recipient_id",
            other: """
                id tenant state step requested_at requested_by due_at barrier position left_behind waits_for counts finished_at
                readmitted_at readmitted_by
                """,
            notExported: "the erasure itself"),
        PersonalTable(
            "erased_people", .kept("a keyed hash, for the time in which an older event may arrive"), personal: "person_hash",
            other: "erasure erased_at", notExported: "the tombstone"),
        PersonalTable("erased_notifications", .kept("ids whose notifications are gone"), other: "id tenant erased_at"),
        PersonalTable("erasure_mentions", .kept("ids, until the erasure is done"), other: "erasure notification_id"),
        PersonalTable("erasure_key", .untouched, other: "only_row key"),
    ]

    /// Hashes and ids by which an event or a message is recognised.
    private static let ids: [PersonalTable] = [
        PersonalTable(
            "idempotency", .kept("a hash of the event, so that its repetition is a duplicate"),
            other: "key notification_id content_hash"),
        PersonalTable(
            "idempotency_recent", .kept("a hash of the event, so that its repetition is a duplicate"),
            other: "key notification_id content_hash"),
        PersonalTable(
            "idempotent_requests", .kept("the name that a backend gave a request, for a day"),
            other: "caller key fingerprint created_at notification_ids"),
        PersonalTable(
            "message_references", .kept("ids of providers for erased notifications, so that their reports are recognised"),
            other: "provider reference notification_id ordinal"),
        PersonalTable(
            "early_reports", .kept("reports that no delivery has yet, for a minute"),
            other: "provider reference key outcome reason told_at received_at"),
        PersonalTable(
            "escalation_losses", .kept("ids of notifications, until a releaser has looked at them"), other: "notification_id noted_at"),
    ]

    private static let house: [PersonalTable] = [
        PersonalTable("active_catalogue", .untouched, other: "only_row hash"),
        PersonalTable(
            "api_keys", .untouched,
            other: """
                id name tenant scopes secret_hash former_hash former_until created_at created_by rotated_at rotated_by last_used_at
                expires_at revoked_at revoked_by
                """),
        PersonalTable("catalogue_history", .untouched, other: "id hash replaced activated_at action author database_role reason"),
        PersonalTable("catalogue_types", .untouched, other: "hash types producer_tenants"),
        PersonalTable("catalogues", .untouched, other: "hash yaml applied_at used_at"),
        PersonalTable("clock_offset", .untouched, other: "only_row shift"),
        PersonalTable("database_timelines", .untouched, other: "system timeline seen_at seen_by"),
        PersonalTable("engagement_tally", .untouched, other: "day tenant event type provider market n"),
        PersonalTable("engagement_totals", .untouched, other: "day tenant event type provider market n"),
        PersonalTable("kept_days", .untouched, other: "date needed_at"),
        PersonalTable("key_move", .untouched, other: "phase before position"),
        PersonalTable("migrations", .untouched, other: "number name applied_at oldest_binary_schema"),
        PersonalTable("outgoing_claims", .untouched, other: "relay ids lease_until"),
        PersonalTable("pauses", .untouched, other: "id scope name reason paused_by since until resumed_at resumed_by"),
        PersonalTable("queue_samples", .untouched, other: "queue ready consumers sampled_at earlier_ready earlier_at waiting_since"),
        PersonalTable("reason_codes", .untouched, other: "code states meaning what_to_do retryable since"),
        PersonalTable("rejected_days", .untouched, other: "day share part kept_bytes without_bytes"),
        PersonalTable("tally", .untouched, other: "kind tenant channel state reason n"),
        PersonalTable("tally_totals", .untouched, other: "kind tenant channel state reason n changed_on"),
        PersonalTable(
            "workers", .untouched,
            other: """
                id role host pid version started_at heartbeat_at handled bulk_pause_ms urgent_took_ms providers catalogue obstacles
                stopped_at broker_connections broker_user
                """),
    ]

    /// The places outside of the database.
    public static let elsewhere: [PersonalPlace] = [
        PersonalPlace(
            name: "tidings.intents.*", holds: "events that no router has decided",
            erasure: "A router drops the event when it takes the message. A queue without a router keeps it."),
        PersonalPlace(
            name: "tidings.deliver.*", holds: "packs, with the content of their deliveries",
            erasure: "A worker sends nothing of it and ends the message. A queue without a worker keeps it."),
        PersonalPlace(
            name: "tidings.rejected", holds: "events with a routing key that no queue takes",
            erasure: "A router refuses the event without the person."),
        PersonalPlace(
            name: "tidings.suspect", holds: "messages that were requeued too often",
            erasure: "A router tries the message, and takes the person out of its dead letter."),
        PersonalPlace(
            name: "tidings.realtime*", holds: "the id of a person whose inbox changed",
            erasure: "Nothing: a signal is gone after seconds, and the queue with its process."),
        PersonalPlace(name: "tidings.timelines", holds: "nothing", erasure: "Nothing."),
        PersonalPlace(name: "tidings.doctor", holds: "nothing", erasure: "Nothing."),
        PersonalPlace(
            name: "log",
            holds: "nothing: no line has an id of a person or a device, an address or content; ids of notifications and packs stand there",
            erasure: "Nothing."),
        PersonalPlace(
            name: "files", holds: "nothing, except the record of `tidings capture --record` and a saved export",
            erasure: "Nothing: delete such a file."),
        PersonalPlace(
            name: "logs of PostgreSQL and RabbitMQ", holds: "nothing, unless PostgreSQL is set to log the values of statements",
            erasure: "Nothing."),
        PersonalPlace(name: "metrics", holds: "nothing: no label has a value of a person", erasure: "Nothing."),
        PersonalPlace(
            name: "memory of a process", holds: "batches in work, tokens until they expire, used shares, open streams",
            erasure: "Nothing: a batch ends within a lease, and a token, a share or a stream gives no right to what is erased."),
        PersonalPlace(
            name: "backups and the write-ahead log of PostgreSQL", holds: "everything, as of their time",
            erasure: "Nothing: they end with the retention of the backups. After a restore, erase again."),
        PersonalPlace(
            name: "phones, browsers and providers", holds: "what was sent to them",
            erasure: "Nothing: ask the provider. An app forgets its plan when its device is not known any more."),
    ]
}
