-- Local notifications: the plan of each device, which shows its notifications by itself.
-- Only a sync changes the version of a plan, under the lock of its row in local_plans.
-- local_requests holds the complete content, because a device may show it long after the partition of the notification was dropped.

-- One small row for each device that ever had a plan. It stays, because a version must never be used twice.
create table tidings.local_plans (
    tenant            text        not null,
    device_id         text        not null,
    version           bigint      not null default 0,
    acked_version     bigint      not null default 0,  -- last version that the device confirmed
    forgotten_version bigint      not null default 0,  -- changes up to it are forgotten: a device with an older version gets the whole plan
    synced_at         timestamptz,
    acked_at          timestamptz,
    woken_at          timestamptz,
    primary key (tenant, device_id)
) with (fillfactor = 70);

create table tidings.local_requests (
    tenant          text        not null,
    device_id       text        not null,
    notification_id uuid        not null,
    ordinal         smallint    not null,
    recipient_id    text        not null,
    type            text        not null,
    market          text,
    content         text        not null,
    collapse_key    text,
    scheduled_for   timestamptz,
    expires_at      timestamptz not null,
    accepted_at     timestamptz not null,
    planned_at      timestamptz not null,
    -- The columns from here on say what the device was told.
    in_plan         boolean     not null default false,
    version         bigint      not null default 0,      -- version of the plan in which the row last changed; 0: never in a plan
    fires_at        timestamptz,
    zone            text,
    confirmed_at    timestamptz,
    ends_as         text,                                -- state of the delivery after the device has confirmed the removal
    end_reason      text,
    primary key (tenant, device_id, notification_id)
) with (fillfactor = 70);
create index local_requests_notification_id_idx on tidings.local_requests (notification_id);
create index local_requests_expires_at_idx on tidings.local_requests (expires_at);
-- For the erasure and the export of a person, whose device may belong to another person now.
create index local_requests_recipient on tidings.local_requests (tenant, recipient_id, device_id, notification_id);

-- Devices whose app is to be woken, because their plan may have changed.
create table tidings.local_wakes (
    tenant    text        not null,
    device_id text        not null,
    due_at    timestamptz not null,
    primary key (tenant, device_id)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index local_wakes_due_at_idx on tidings.local_wakes (due_at);

-- A person's statements run as tidings_app. It sees the plan, the wake and the notifications of a device that the person has now, and
-- notifications for the person on a device that another person has now (grants.sql).
do $$ declare
    name text;
begin
    foreach name in array array['local_plans', 'local_requests', 'local_wakes'] loop
        execute format('alter table tidings.%I enable row level security', name);
        execute format('alter table tidings.%I force row level security', name);
    end loop;
end $$;

-- For operators -------------------------------------------------------------------------------------------------------------------------

create view tidings_ops.local_plans as
    select r.tenant, r.recipient_id, r.device_id, r.notification_id || '/' || r.ordinal as delivery_id, r.notification_id, r.ordinal,
        r.type, r.scheduled_for,
        case when r.ends_as is not null and not r.in_plan then r.ends_as
            when r.in_plan and r.confirmed_at is not null and coalesce(r.fires_at, r.confirmed_at) <= tidings.clock() then 'shown'
            when r.in_plan and r.confirmed_at is not null then 'confirmed'
            when r.in_plan then 'told'
            when r.version > 0 then 'takenBack'
            else 'waiting' end as state,
        r.end_reason as reason_code, r.fires_at, r.zone, nullif(r.version, 0) as version, r.planned_at, r.confirmed_at, r.expires_at,
        p.version as plan_version, p.acked_version, p.synced_at, p.acked_at, p.woken_at
    from tidings.local_requests r left join tidings.local_plans p on p.tenant = r.tenant and p.device_id = r.device_id;

comment on view tidings_ops.local_plans is
    'Notifications that each device is to show by itself. Indexed filters: notification_id; device_id with tenant.';
comment on column tidings_ops.local_plans.tenant is 'The tenant of the person.';
comment on column tidings_ops.local_plans.recipient_id is
    'The person for whom the notification is. If the device has moved to another person, the device does not show the notification.';
comment on column tidings_ops.local_plans.device_id is 'The device, as in tidings_ops.devices.';
comment on column tidings_ops.local_plans.delivery_id is 'The delivery, as in tidings_ops.deliveries.';
comment on column tidings_ops.local_plans.notification_id is 'The notification. The app plans it under this identifier.';
comment on column tidings_ops.local_plans.ordinal is 'The number of the delivery in the notification.';
comment on column tidings_ops.local_plans.type is 'The type of the notification.';
comment on column tidings_ops.local_plans.scheduled_for is 'Time at which the producer wants the notification shown. Null: immediately.';
comment on column tidings_ops.local_plans.state is
    'waiting (not in the plan yet: the device has not asked, the plan is full, or a reason hides the notification), told (in a plan that '
    'the device has asked for), confirmed (the device has the notification), shown (confirmed, and its time has come), takenBack (out of '
    'the plan for now), or the state in which the delivery ends when the device confirms the removal.';
comment on column tidings_ops.local_plans.reason_code is 'The reason why the notification was taken back for good. Null otherwise.';
comment on column tidings_ops.local_plans.fires_at is
    'The time in the plan at which the device is to show the notification: the scheduled time, or a time after quiet hours. Null: '
    'immediately, or the notification was in no plan.';
comment on column tidings_ops.local_plans.zone is 'The time zone for which the plan has the time. Null if there is none.';
comment on column tidings_ops.local_plans.version is
    'The version of the plan in which this row last changed. Null if it was never in a plan.';
comment on column tidings_ops.local_plans.planned_at is 'Time at which the notification was taken into the plan of the device.';
comment on column tidings_ops.local_plans.confirmed_at is
    'Time at which the device confirmed that it has the notification as the plan has it. Null before that.';
comment on column tidings_ops.local_plans.expires_at is 'Time from which the notification is not shown.';
comment on column tidings_ops.local_plans.plan_version is
    'The version of the plan of the device. Each sync that finds a change makes a new version. Null if the device never had a plan.';
comment on column tidings_ops.local_plans.acked_version is
    'The last version that the device confirmed. 0 for none. Null if the device never had a plan.';
comment on column tidings_ops.local_plans.synced_at is 'Time at which the device last asked for its plan. Null if the device never did.';
comment on column tidings_ops.local_plans.acked_at is 'Time at which the device last confirmed a version. Null if the device never did.';
comment on column tidings_ops.local_plans.woken_at is 'Time at which a silent push last woke the app. Null if none did.';
