extension Migration {
    /// What `\d+` in psql and every tool that reads comments show: each column of `tidings_ops` with its values and units, and each function
    /// with what it does. Also lets the read-only role evaluate the clock that some of the views ask.
    static let comments = Migration(
        number: 4, name: "comments", kind: .expand,
        sql: #"""
            comment on view tidings_ops.reason_codes is
                'The closed list of reasons. Every reason_code elsewhere is one of these, but for a queued delivery, where it is '
                'inQueue or inFlight.';
            comment on column tidings_ops.reason_codes.code is
                'The code, as it stands in every reason_code column. Its meaning never changes.';
            comment on column tidings_ops.reason_codes.states is
                'The delivery states it can explain, sorted; empty for a reason of a rejected intent or a dead message.';
            comment on column tidings_ops.reason_codes.meaning is 'One sentence in plain words.';
            comment on column tidings_ops.reason_codes.what_to_do is
                'The next step for an operator or a producer; Nothing. when all is as it should be.';
            comment on column tidings_ops.reason_codes.retryable is 'Whether trying again without changing the message can end otherwise.';
            comment on column tidings_ops.reason_codes.since is 'The first version with this code.';

            comment on column tidings_ops.notifications.notification_id is
                'UUIDv7: its first 48 bits are the time of acceptance in milliseconds.';
            comment on column tidings_ops.notifications.tenant is 'Whose notification it is; default unless the producer named another.';
            comment on column tidings_ops.notifications.type is 'The type in the catalogue: the CloudEvents type of the intent.';
            comment on column tidings_ops.notifications.category is
                'Of the type when it was accepted: transactional, marketing, social or system.';
            comment on column tidings_ops.notifications.recipient_id is 'The person, as the producer names them.';
            comment on column tidings_ops.notifications.lane is 'urgent or bulk: separate queues from here to the provider.';
            comment on column tidings_ops.notifications.source is 'Which producer asked: the CloudEvents source.';
            comment on column tidings_ops.notifications.idempotency_key is
                'The producer''s event id: the CloudEvents id. With tenant, source and recipient it is accepted once.';
            comment on column tidings_ops.notifications.trace_id is
                'The W3C traceparent that came with the event, whole; null without one.';
            comment on column tidings_ops.notifications.accepted_at is 'When the decision was made and committed.';
            comment on column tidings_ops.notifications.send_at is 'The time the producer scheduled it for; null for now.';
            comment on column tidings_ops.notifications.expires_at is
                'From then on nothing of it is sent any more: what waits ends as expired.';
            comment on column tidings_ops.notifications.state is 'pending while a delivery has not ended, then done.';
            comment on column tidings_ops.notifications.deliveries is
                'How many deliveries were planned: one for each channel and endpoint.';
            comment on column tidings_ops.notifications.delivered is 'Deliveries known to have arrived.';
            comment on column tidings_ops.notifications.sent is 'Deliveries a provider accepted without saying that they arrived.';
            comment on column tidings_ops.notifications.failed is 'Deliveries that ended as failed or expired.';
            comment on column tidings_ops.notifications.not_sent is
                'Deliveries that ended as suppressed or cancelled. Skipping is not failing.';
            comment on column tidings_ops.notifications.finished_at is 'When the last delivery ended; null while it is pending.';
            comment on column tidings_ops.notifications.catalogue is 'The hash of the catalogue that was in force when it was accepted.';

            comment on column tidings_ops.deliveries.delivery_id is 'notification_id/ordinal, as tidings delivery show and retry take it.';
            comment on column tidings_ops.deliveries.notification_id is 'The notification it belongs to.';
            comment on column tidings_ops.deliveries.ordinal is 'Its place in the notification''s decision, from 0.';
            comment on column tidings_ops.deliveries.tenant is 'Whose notification it is.';
            comment on column tidings_ops.deliveries.type is 'The notification''s type in the catalogue.';
            comment on column tidings_ops.deliveries.category is 'transactional, marketing, social or system.';
            comment on column tidings_ops.deliveries.recipient_id is 'The person, as the producer names them.';
            comment on column tidings_ops.deliveries.channel is 'push, local, inApp, email, sms, webPush or webhook.';
            comment on column tidings_ops.deliveries.provider is
                'Who carries it: the name of a provider in the catalogue; empty where none was chosen.';
            comment on column tidings_ops.deliveries.endpoint is
                'The person''s device or address, by its id and never by its token; null where none is needed, and while it is queued.';
            comment on column tidings_ops.deliveries.state is
                'held (waits for a time or an earlier channel), queued, retrying, sent (the provider took it), delivered (known '
                'to have arrived), suppressed (decided not to send), cancelled, expired or failed. held, queued and retrying go '
                'on by themselves, the rest has ended.';
            comment on column tidings_ops.deliveries.reason_code is
                'Why it is in its state: a code of tidings_ops.reason_codes. For queued: inQueue, or inFlight once a worker has '
                'claimed it.';
            comment on column tidings_ops.deliveries.attempts is 'Calls to the provider so far; 0 for what was never tried.';
            comment on column tidings_ops.deliveries.due_at is
                'When held or retrying goes on; null for any other state, and for a channel that waits for the end of an earlier one.';
            comment on column tidings_ops.deliveries.provider_message_id is 'The provider''s own id for it, where it gave one.';
            comment on column tidings_ops.deliveries.created_at is 'When its notification was accepted.';
            comment on column tidings_ops.deliveries.finished_at is 'When it ended; null before.';

            comment on column tidings_ops.decisions.notification_id is 'The notification.';
            comment on column tidings_ops.decisions.ordinal is 'Which of its deliveries, from 0.';
            comment on column tidings_ops.decisions.decided_at is 'When: at acceptance, or when what waited was judged again.';
            comment on column tidings_ops.decisions.channel is 'push, local, inApp, email, sms, webPush or webhook.';
            comment on column tidings_ops.decisions.provider is 'The provider that was chosen; empty for none.';
            comment on column tidings_ops.decisions.verdict is
                'send, hold (until a time), awaitEscalation (until an earlier channel has failed) or notSent.';
            comment on column tidings_ops.decisions.reason_code is 'Why it was held or not sent; null for send.';
            comment on column tidings_ops.decisions.held_until is
                'For hold: until when it waits. For send: until when the decision may be acted on before it is made again. Null otherwise.';
            comment on column tidings_ops.decisions.strategy is
                'all, or escalate: channels one after the other. Null for what was decided again.';
            comment on column tidings_ops.decisions.catalogue is 'The hash of the catalogue that was in force.';
            comment on column tidings_ops.decisions.rules is
                'The rules that applied, in words and in order: a JSON array. Null for what was decided again.';
            comment on column tidings_ops.decisions.notes is
                'Reason codes that explain but end nothing: a JSON array. Null for what was decided again.';

            comment on column tidings_ops.attempts.delivery_id is 'notification_id/ordinal.';
            comment on column tidings_ops.attempts.notification_id is 'The notification.';
            comment on column tidings_ops.attempts.ordinal is 'Which of its deliveries, from 0.';
            comment on column tidings_ops.attempts.attempt is 'The first call is 1.';
            comment on column tidings_ops.attempts.channel is 'push, local, inApp, email, sms, webPush or webhook.';
            comment on column tidings_ops.attempts.provider is 'Whom was called.';
            comment on column tidings_ops.attempts.outcome is
                'accepted, retry (nothing was taken, later may work), rejected (never will), endpointGone, misconfigured (the '
                'provider''s settings are wrong) or unknown (it may have arrived).';
            comment on column tidings_ops.attempts.reason_code is 'What the call met: a code of tidings_ops.reason_codes.';
            comment on column tidings_ops.attempts.provider_status is 'For HTTP the status; null without an answer, and for the inbox.';
            comment on column tidings_ops.attempts.error_text is 'What the provider said, at most 500 bytes; null when it accepted.';
            comment on column tidings_ops.attempts.possible_duplicate is
                'True when this call may have arrived and the delivery is tried again: the provider may see it twice.';
            comment on column tidings_ops.attempts.late is
                'True when the outcome came after the worker''s lease had ended: it is recorded, and did not change the state.';
            comment on column tidings_ops.attempts.idempotency_key is
                'What the provider is given to recognise the same delivery by: the same on every attempt. A webhook''s webhook-id.';
            comment on column tidings_ops.attempts.worker_id is
                'Who called: see tidings_ops.workers. Null for a first call that succeeded.';
            comment on column tidings_ops.attempts.started_at is 'When the call began. Null for a first call that succeeded.';
            comment on column tidings_ops.attempts.finished_at is 'When its outcome was known.';
            comment on column tidings_ops.attempts.duration_ms is
                'Milliseconds from start to outcome. Null for a first call that succeeded.';

            comment on column tidings_ops.possible_duplicates.notification_id is 'The notification.';
            comment on column tidings_ops.possible_duplicates.ordinal is 'Which of its deliveries, from 0.';
            comment on column tidings_ops.possible_duplicates.attempt is 'The call that may have arrived; a later one followed.';
            comment on column tidings_ops.possible_duplicates.channel is 'push, local, inApp, email, sms, webPush or webhook.';
            comment on column tidings_ops.possible_duplicates.provider is 'Who may have seen it twice.';
            comment on column tidings_ops.possible_duplicates.reason_code is
                'Why nobody can say: workerDied, timeout or outcomeUnknown.';
            comment on column tidings_ops.possible_duplicates.idempotency_key is 'The key that both sends carried.';
            comment on column tidings_ops.possible_duplicates.worker_id is 'Who made the call.';
            comment on column tidings_ops.possible_duplicates.started_at is
                'When the call began; for a worker that died, when it claimed the pack.';

            comment on column tidings_ops.state_counts.channel is 'push, local, inApp, email, sms, webPush or webhook.';
            comment on column tidings_ops.state_counts.tenant is 'Whose deliveries; empty for what is queued.';
            comment on column tidings_ops.state_counts.state is 'As in tidings_ops.deliveries.';
            comment on column tidings_ops.state_counts.reason_code is 'As in tidings_ops.deliveries.';
            comment on column tidings_ops.state_counts.n is 'Deliveries, those past retention included.';
            comment on column tidings_ops.state_counts.as_of is 'When this was counted.';

            comment on column tidings_ops.queues.queue is 'Its name on the broker.';
            comment on column tidings_ops.queues.channel is 'Of a delivery queue with unfinished packs; null otherwise.';
            comment on column tidings_ops.queues.provider is 'Of a delivery queue with unfinished packs; null otherwise.';
            comment on column tidings_ops.queues.lane is 'urgent or bulk, of a delivery queue with unfinished packs; null otherwise.';
            comment on column tidings_ops.queues.ready is
                'Messages that no consumer holds, when last sampled; null before the first sample.';
            comment on column tidings_ops.queues.consumers is 'Consumers, when last sampled.';
            comment on column tidings_ops.queues.sampled_at is 'When the broker was last asked; a release role asks every 5 seconds.';
            comment on column tidings_ops.queues.packs is 'Packs that are not settled now. A pack is up to 50 deliveries in one message.';
            comment on column tidings_ops.queues.deliveries is 'Deliveries in those packs.';
            comment on column tidings_ops.queues.in_flight is 'Of those deliveries: claimed by a worker.';
            comment on column tidings_ops.queues.unconfirmed is
                'Of those packs: not yet confirmed by the broker. They are published again by themselves.';
            comment on column tidings_ops.queues.oldest_at is 'When the oldest of those packs was decided.';

            comment on column tidings_ops.rejected.rejected_id is 'As tidings rejected show, replay and discard take it.';
            comment on column tidings_ops.rejected.reason_code is 'Why it was refused: a code of tidings_ops.reason_codes.';
            comment on column tidings_ops.rejected.pointer is
                'Where in the event: a JSON pointer (RFC 6901); empty for the event as a whole.';
            comment on column tidings_ops.rejected.message is 'The reason in words, with what was found there.';
            comment on column tidings_ops.rejected.tenant is 'Null where it could not be read.';
            comment on column tidings_ops.rejected.source is 'The CloudEvents source; null where it could not be read.';
            comment on column tidings_ops.rejected.event_id is 'The CloudEvents id; null where it could not be read.';
            comment on column tidings_ops.rejected.type is 'The CloudEvents type; null where it could not be read.';
            comment on column tidings_ops.rejected.exchange is 'Where it was published, and where a replay publishes it again.';
            comment on column tidings_ops.rejected.routing_key is 'With which key.';
            comment on column tidings_ops.rejected.content_type is 'Of the kept bytes; null when the message had none.';
            comment on column tidings_ops.rejected.size is 'Bytes of the event, or of the message where it could not be taken apart.';
            comment on column tidings_ops.rejected.occurrences is 'How often these same bytes were refused for this same reason.';
            comment on column tidings_ops.rejected.replayable is
                'Whether tidings rejected replay can publish it again: it was kept whole, and its content type is understood.';
            comment on column tidings_ops.rejected.state is 'open, replayed or discarded.';
            comment on column tidings_ops.rejected.first_at is 'When it was refused first.';
            comment on column tidings_ops.rejected.last_at is 'When it was refused last.';

            comment on column tidings_ops.dead_letters.dead_id is 'As tidings dead show, replay and discard take it.';
            comment on column tidings_ops.dead_letters.origin_queue is 'The queue it was taken from in vain.';
            comment on column tidings_ops.dead_letters.reason_code is 'poison (taken back too often) or undecodablePack.';
            comment on column tidings_ops.dead_letters.message is 'The reason in words.';
            comment on column tidings_ops.dead_letters.deaths is 'How often these same bytes were set aside.';
            comment on column tidings_ops.dead_letters.exchange is 'Where it was published, and where a replay publishes it again.';
            comment on column tidings_ops.dead_letters.routing_key is 'With which key.';
            comment on column tidings_ops.dead_letters.size is 'Bytes of the message.';
            comment on column tidings_ops.dead_letters.state is
                'trying (being tried alone), resolved (that worked), quarantined (it ended its worker again), open, replayed or discarded.';
            comment on column tidings_ops.dead_letters.at is 'When it was set aside last.';

            comment on column tidings_ops.timeline.notification_id is 'The notification.';
            comment on column tidings_ops.timeline.ordinal is 'Which of its deliveries, from 0; null for the notification as a whole.';
            comment on column tidings_ops.timeline.at is 'When.';
            comment on column tidings_ops.timeline.actor is 'Who: router, deliver, release, or the worker that made a call.';
            comment on column tidings_ops.timeline.channel is 'Which channel; null for the notification as a whole.';
            comment on column tidings_ops.timeline.event is
                'accepted, decided, attempt N, waiting, or the state in which the delivery ended.';
            comment on column tidings_ops.timeline.reason_code is 'Why: a code of tidings_ops.reason_codes, or null.';
            comment on column tidings_ops.timeline.summary is
                'In words: who asked for what, the verdict, the outcome, or until when it waits.';

            comment on column tidings_ops.errors.error_fingerprint is 'The same for the same channel, provider, reason and status.';
            comment on column tidings_ops.errors.channel is 'push, local, inApp, email, sms, webPush or webhook.';
            comment on column tidings_ops.errors.provider is 'Whom was called.';
            comment on column tidings_ops.errors.reason_code is 'What the calls met.';
            comment on column tidings_ops.errors.provider_status is 'For HTTP the status; null without an answer.';
            comment on column tidings_ops.errors.sample is 'What the provider said in one of the calls.';
            comment on column tidings_ops.errors.first_seen_at is 'The first such call of the last seven days.';
            comment on column tidings_ops.errors.last_seen_at is 'The last such call.';
            comment on column tidings_ops.errors.n_1h is 'Such calls in the last hour.';
            comment on column tidings_ops.errors.n_24h is 'Such calls in the last 24 hours.';
            comment on column tidings_ops.errors.n_7d is 'Such calls for notifications of the last seven days.';

            comment on column tidings_ops.workers.worker_id is 'Role, host, process id and a random part.';
            comment on column tidings_ops.workers.role is 'router, deliver, release, or all for a process with every role.';
            comment on column tidings_ops.workers.host is 'Where it runs.';
            comment on column tidings_ops.workers.pid is 'Its process id there.';
            comment on column tidings_ops.workers.version is 'Of its binary.';
            comment on column tidings_ops.workers.handled is
                'Since it started: recipients routed, deliveries taken for sending, and deliveries released.';
            comment on column tidings_ops.workers.started_at is 'When it announced itself first.';
            comment on column tidings_ops.workers.heartbeat_at is 'When it announced itself last; it does every 5 seconds.';
            comment on column tidings_ops.workers.state is
                'running, or lost after 30 seconds without a heartbeat: stopped, died or cut off.';

            comment on column tidings_ops.storage.table_name is 'A table of the private schema, its partitions counted in.';
            comment on column tidings_ops.storage.partitions is 'How many partitions it has; 1 for a table without any.';
            comment on column tidings_ops.storage.rows_estimate is 'As the last analyze found; 0 before the first.';
            comment on column tidings_ops.storage.bytes is 'On disk, indexes included.';

            comment on column tidings_ops.growth.day is 'A day in UTC.';
            comment on column tidings_ops.growth.notifications_bytes is 'Bytes that its notifications take on disk, indexes included.';
            comment on column tidings_ops.growth.notifications_estimate is
                'Notifications of that day as the last analyze found; 0 before the first.';

            comment on column tidings_ops.unaccounted.kind is
                'takenNotDecided: taken from the broker without becoming a notification, a duplicate or a rejection. '
                'pendingWithoutHome: deliveries that neither ended nor stand in a pack nor wait.';
            comment on column tidings_ops.unaccounted.n is
                'By how many the sums differ; less than 0 when there are more homes than deliveries.';
            comment on column tidings_ops.unaccounted.oldest_at is 'Always null here: tidings db verify finds the rows.';
            comment on column tidings_ops.unaccounted.sample_id is 'Always null here: tidings db verify finds the rows.';

            comment on function tidings.first_id(timestamptz) is
                'The smallest UUIDv7 of a moment: ids at or after it were made then or later.';
            comment on function tidings.id_time(uuid) is 'The moment in which a UUIDv7 was made, to the millisecond.';
            comment on function tidings.ensure_partitions(integer, integer) is
                'Makes the daily partitions that are missing, from so many days back to so many ahead. Returns how many it made.';
            comment on function tidings.expire_partitions(interval) is
                'Drops the days past retention, but none that a pack or a due row still points into. Returns what it dropped.';

            -- The clock runs with the rights of whoever asks a view that calls it. It reads one row, and nothing else here opens up.
            do $$ begin
                if to_regrole('tidings_ops_read') is not null then
                    grant usage on schema tidings to tidings_ops_read;
                    grant select on tidings.clock_offset to tidings_ops_read;
                    grant select on all tables in schema tidings_ops to tidings_ops_read;
                end if;
            end $$;
            """#)
}
