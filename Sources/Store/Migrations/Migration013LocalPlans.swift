extension Migration {
    /// Local notifications: the plan of each device, with a version that only its sync moves.
    static let localPlans = Migration(
        number: 13, name: "local plans", kind: .expand,
        sql: #"""
            -- One small row for each device that ever had a plan. It stays, because a version must never come again.
            create table tidings.local_plans (
                tenant text not null,
                device_id text not null,
                version bigint not null default 0,
                acked_version bigint not null default 0,
                forgotten_version bigint not null default 0,
                synced_at timestamptz,
                acked_at timestamptz,
                woken_at timestamptz,
                primary key (tenant, device_id)
            ) with (fillfactor = 70);

            -- What a device is to show, complete: it may be scheduled for long after its notification's partition is dropped. From in_plan on it
            -- is what the device was told; version is that of the plan in which this last changed, 0 when it never was.
            create table tidings.local_requests (
                tenant text not null,
                device_id text not null,
                notification_id uuid not null,
                ordinal smallint not null,
                recipient_id text not null,
                type text not null,
                market text,
                content text not null,
                collapse_key text,
                scheduled_for timestamptz,
                expires_at timestamptz not null,
                accepted_at timestamptz not null,
                planned_at timestamptz not null,
                in_plan boolean not null default false,
                version bigint not null default 0,
                fires_at timestamptz,
                zone text,
                confirmed_at timestamptz,
                ends_as text,
                end_reason text,
                primary key (tenant, device_id, notification_id)
            ) with (fillfactor = 70);
            create index on tidings.local_requests (notification_id);
            create index on tidings.local_requests (expires_at);

            -- Devices whose app is to be woken, because something of their plan may have changed.
            create table tidings.local_wakes (
                tenant text not null,
                device_id text not null,
                due_at timestamptz not null,
                primary key (tenant, device_id)
            ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
            create index on tidings.local_wakes (due_at);

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
                'What which device is to show by itself. Indexed filters: notification_id; device_id with tenant.';
            comment on column tidings_ops.local_plans.tenant is 'Of the person.';
            comment on column tidings_ops.local_plans.recipient_id is 'For whom it is; a device that has moved to somebody else does not show it.';
            comment on column tidings_ops.local_plans.device_id is 'As tidings_ops.devices names it.';
            comment on column tidings_ops.local_plans.delivery_id is 'As tidings_ops.deliveries names it.';
            comment on column tidings_ops.local_plans.notification_id is 'Of what is shown; the identifier that the app plans it under.';
            comment on column tidings_ops.local_plans.ordinal is 'Which delivery of the notification.';
            comment on column tidings_ops.local_plans.type is 'Of the notification.';
            comment on column tidings_ops.local_plans.scheduled_for is 'When the producer wants it shown; null for at once.';
            comment on column tidings_ops.local_plans.state is
                'waiting (for a sync, for room, or for what hides it to end), told (in a plan the device has asked for), confirmed (the device '
                'has it), shown (confirmed, and its time has come), takenBack (for now), or the state it ends in once the device confirms that.';
            comment on column tidings_ops.local_plans.reason_code is 'Why it was taken back for good.';
            comment on column tidings_ops.local_plans.fires_at is
                'When the device was told to show it: as scheduled, or after quiet hours; null for at once, or not told.';
            comment on column tidings_ops.local_plans.zone is 'In whose calendar the device was told.';
            comment on column tidings_ops.local_plans.version is 'The plan''s version in which this last changed; null when it never was in a plan.';
            comment on column tidings_ops.local_plans.planned_at is 'When it was taken into the device''s plan.';
            comment on column tidings_ops.local_plans.confirmed_at is 'When the device confirmed that it has it as it was told.';
            comment on column tidings_ops.local_plans.expires_at is 'From then on it is not shown.';
            comment on column tidings_ops.local_plans.plan_version is 'The version of the device''s plan; each sync that finds a change makes one.';
            comment on column tidings_ops.local_plans.acked_version is 'The last version that the device confirmed; 0 for none.';
            comment on column tidings_ops.local_plans.synced_at is 'When the device last asked for its plan.';
            comment on column tidings_ops.local_plans.acked_at is 'When the device last confirmed a version.';
            comment on column tidings_ops.local_plans.woken_at is 'When its app was last woken by a silent push.';

            do $$ begin
                if to_regrole('tidings_run') is not null then
                    grant select, insert, update, delete on tidings.local_plans, tidings.local_requests, tidings.local_wakes to tidings_run;
                    grant select on tidings_ops.local_plans to tidings_run;
                end if;
                if to_regrole('tidings_ops_read') is not null then
                    grant select on tidings_ops.local_plans to tidings_ops_read;
                end if;
            end $$;
            """#)
}
