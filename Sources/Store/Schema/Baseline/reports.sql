-- Reports about deliveries, some time after the call. A provider sends them to POST /v1/callbacks/<provider>, and a device confirms a push
-- with POST /api/notifications/<id>/receipt.
-- A delivery moves from sent to delivered or failed by a report, or from a failure with an unknown outcome. After a failure that a report
-- told, a report of its arrival moves it to delivered. It never moves from there.
-- The row of a delivery keeps the time at which its calls ended. The time of the report stands here.

create table tidings.reports (
    notification_id uuid        not null,
    ordinal         smallint    not null,
    reporter        text        not null,  -- provider or device
    key             text        not null,  -- the reporter's name for the report; a second row with it is a repetition
    attempt         smallint    not null,  -- calls of the delivery when the report came
    channel         text        not null,
    provider        text        not null,  -- of the delivery, whoever reports
    outcome         text        not null,  -- delivered, engaged, failed or gone
    reason          text        not null,
    told_at         timestamptz,           -- by the reporter's clock
    received_at     timestamptz not null,
    state_before    text        not null,
    reason_before   text        not null,
    state_after     text        not null,
    moved           boolean     not null,  -- whether the report changed the state or the reason
    primary key (notification_id, ordinal, reporter, key)
) partition by range (notification_id);

-- The ids that providers gave to messages. Only providers whose reports name nothing else have rows here: each row costs an insert for
-- each accepted delivery.
-- Retention walks along the second index: ids have the order of time.
create table tidings.message_references (
    provider        text     not null,
    reference       text     not null,
    notification_id uuid     not null,
    ordinal         smallint not null,
    primary key (provider, reference)
);
create index message_references_notification_id_idx on tidings.message_references (notification_id);

-- Reports that name only the provider's id of a message, and that no delivery has yet. A worker may be writing the answer that has the id.
-- Or another system sends through the same account. A releaser records the first kind, and deletes the second kind after a minute.
create table tidings.early_reports (
    provider    text        not null,
    reference   text        not null,  -- the provider's id of the message
    key         text        not null,  -- as in tidings.reports, and so are outcome, reason and told_at
    outcome     text        not null,
    reason      text        not null,
    told_at     timestamptz,
    received_at timestamptz not null,
    primary key (provider, reference, key)
);
create index early_reports_received_at_idx on tidings.early_reports (received_at);

-- Critical notifications of which a delivery had reached the person, until a report told of a failure. A releaser deletes the row when it
-- has looked whether the next channel takes its turn. A process of the API may note the loss, and starts no delivery.
create table tidings.escalation_losses (
    notification_id uuid        primary key,
    noted_at        timestamptz not null
);

-- Ended deliveries with the state and reason in which their calls ended. Several reports may have moved a delivery, one after the other. Only
-- the first of them found the end of a call: sent, or a failure with an unknown outcome. No report makes such an end.
create view tidings.ends_of_calls as
    select d.notification_id, d.ordinal, d.channel, d.provider, coalesce(r.state_before, d.state) as state,
        coalesce(r.reason_before, d.reason) as reason, d.attempts, d.ended_at
    from tidings.deliveries d left join tidings.reports r
        on r.notification_id = d.notification_id and r.ordinal = d.ordinal and r.attempt = d.attempts and r.moved
            and (r.state_before = 'sent' or r.reason_before = 'outcomeUnknown');
