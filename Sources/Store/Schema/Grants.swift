import CSchemaFiles
import TidingsPostgres

/// The roles of the database and their rights: the script that gives them, and the queries that compare them.
enum Grants {
    /// The role of the processes.
    static let run = "tidings_run"
    /// The role of the processes that only serve the API.
    static let runAPI = "tidings_run_api"
    /// The role that a process takes for the statements of one person.
    static let app = "tidings_app"
    static let roles = [run, runAPI, "tidings_ops_read", "tidings_produce", app]
    /// The roles that must be members of ``app``.
    static let members = [run, runAPI]

    /// Creates the missing roles and gives every right, also those on the parts of modules. Nothing changes if it runs again. If the user
    /// may not create a role, the script goes on without the role.
    static func script(with parts: [SchemaPart]) -> String {
        ([String(cString: tidings_schema_grants())] + parts.map(\.grants)).joined(separator: "\n")
    }

    /// The rights of `grants.sql` and of the parts, one row for each role, object and privilege, as common table expressions. They read
    /// only catalogues of PostgreSQL, by object id: a name would need the right to use its schema. A right on a partition is of no use and
    /// is left out.
    ///
    /// The owner of a table with policies is a further role, unless it is a superuser. The owner needs only its policy.
    static func wanted(with parts: [SchemaPart]) -> SQL {
        "\(objects), named(role, kind, id, object, privilege, attribute) as (\(named(with: parts))), \(allWanted)"
    }

    private static let objects: SQL = """
        with relations as (
            select c.oid as id, n.nspname || '.' || c.relname as object, n.nspname as schema, c.relkind <> 'v' as is_table,
                c.relrowsecurity as has_policies, c.relowner as owner
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname in ('tidings', 'tidings_ops') and c.relkind in ('r', 'p', 'v') and not c.relispartition
        ), roles as (
            select r.name, to_regrole(r.name)::oid as id, r.place
            from unnest(\(roles)) with ordinality as r(name, place)
            union all
            select distinct o.rolname::text, o.oid, null::bigint from relations r join pg_roles o on o.oid = r.owner
            where r.has_policies and not o.rolsuper and o.rolname <> all (\(roles))
        ), functions as (
            select p.oid as id, n.nspname || '.' || p.proname as object, n.nspname as schema
            from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname in ('tidings', 'tidings_ops', 'tidings_api')
        )
        """

    /// The rights that a list names by table or column.
    private static func named(with parts: [SchemaPart]) -> SQL {
        """
        select v.role, 'table', r.id, r.object, v.privilege, null::text
        from (values \(tables)\(unsafe: parts.map(\.tableRights).joined())) as v(role, privilege, schema, names)
        join relations r on r.schema = v.schema and split_part(r.object, '.', 2) = any (regexp_split_to_array(v.names, '\\s+'))
        union all
        select v.role, 'column', r.id, r.object, v.privilege, a.attname::text
        from (values \(columns)\(unsafe: parts.map(\.columnRights).joined())) as v(role, privilege, name, names)
        join relations r on r.object = 'tidings.' || v.name
        join pg_attribute a on a.attrelid = r.id and a.attname::text = any (regexp_split_to_array(v.names, '\\s+'))
        """
    }

    private static let allWanted: SQL = """
        wanted(role, kind, id, object, privilege, attribute) as (
            select v.role, 'schema', n.oid, n.nspname::text, 'usage', null::text
            from (values ('tidings_run', 'tidings'), ('tidings_run', 'tidings_ops'), ('tidings_run', 'tidings_api'),
                ('tidings_run_api', 'tidings'), ('tidings_run_api', 'tidings_ops'), ('tidings_run_api', 'tidings_api'),
                ('tidings_ops_read', 'tidings'), ('tidings_ops_read', 'tidings_ops'), ('tidings_produce', 'tidings_api'),
                ('tidings_app', 'tidings')) as v(role, schema)
            join pg_namespace n on n.nspname = v.schema
            union all
            select 'tidings_run', 'table', r.id, r.object, v.privilege, null
            from relations r cross join (values ('select'), ('insert'), ('update'), ('delete')) as v(privilege)
            where v.privilege = 'select' or (r.schema = 'tidings' and r.is_table
                and r.object not in ('tidings.migrations', 'tidings.clock_offset', 'tidings.reason_codes', 'tidings.erasure_key')
                and (r.object <> 'tidings.catalogue_history' or v.privilege = 'insert'))
            union all
            select 'tidings_run', 'sequence', c.oid, 'tidings.' || c.relname, 'usage', null
            from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = 'tidings' and c.relkind = 'S' and c.relname in ('rejected_id_seq', 'dead_id_seq')
            union all
            select 'tidings_run', 'function', f.id, f.object, 'execute', null from functions f
            where f.schema = 'tidings_ops' or f.object in ('tidings.clock', 'tidings.first_id', 'tidings.id_time', 'tidings.token_hash',
                'tidings.person_hash', 'tidings.record_activation', 'tidings.ensure_partitions', 'tidings.expire_partitions',
                'tidings_api.enqueue')
            union all
            select 'tidings_ops_read', 'table', r.id, r.object, 'select', null from relations r
            where r.schema = 'tidings_ops' or r.object = 'tidings.clock_offset'
            union all
            select 'tidings_ops_read', 'function', f.id, f.object, 'execute', null from functions f where f.schema = 'tidings_ops'
            union all
            select 'tidings_produce', 'function', f.id, f.object, 'execute', null from functions f where f.schema = 'tidings_api'
            union all
            select 'tidings_app', 'function', f.id, f.object, 'execute', null
            from functions f where f.object in ('tidings.clock', 'tidings.token_hash')
            union all
            select 'tidings_run_api', 'function', f.id, f.object, 'execute', null from functions f
            where f.object in ('tidings.clock', 'tidings.first_id', 'tidings.id_time', 'tidings.token_hash', 'tidings.person_hash',
                'tidings_ops.explain', 'tidings_ops.promised', 'tidings_api.enqueue')
            union all
            select * from named
            union all
            select v.role, 'policy', r.id, r.object, 'policy', null
            from relations r cross join (values ('tidings_run'), ('tidings_run_api'), ('tidings_app')) as v(role)
            where r.has_policies and (v.role <> 'tidings_run_api' or exists (select from named n where n.role = v.role and n.id = r.id))
            union all
            select o.name, 'policy', r.id, r.object, 'policy', null from relations r join roles o on o.id = r.owner where r.has_policies
            union all
            select v.role, 'membership', a.id, a.name, 'membership', null
            from roles a cross join unnest(\(members)) as v(role) where a.name = \(app) and a.id is not null
        )
        """

    /// Rights on whole tables and views.
    private static let tables: SQL = """
        ('tidings_app', 'select', 'tidings', 'clock_offset inbox inboxes engagement engagement_days recipients local_plans local_requests
            own_notifications own_decisions own_deliveries own_attempts own_reports own_due own_rejected own_endpoints own_addresses'),
        ('tidings_app', 'insert', 'tidings', 'engagement engagement_days engagement_tally local_wakes'),
        ('tidings_app', 'delete', 'tidings', 'endpoints local_requests'),
        ('tidings_run_api', 'select', 'tidings', 'clock_offset active_catalogue catalogues catalogue_types pauses workers api_keys
            idempotent_requests reservations idempotency idempotency_keys deliveries due packs reports message_references
            erased_notifications escalation_losses local_plans inboxes erasure_key erased_people'),
        ('tidings_run_api', 'insert', 'tidings', 'workers database_timelines idempotent_requests reservations idempotency_recent deliveries
            tally reports early_reports escalation_losses local_wakes erased_people erasures'),
        ('tidings_run_api', 'update', 'tidings', 'workers'),
        ('tidings_run_api', 'delete', 'tidings', 'idempotent_requests reservations due packs endpoints addresses local_requests
            erased_people'),
        ('tidings_run_api', 'select', 'tidings_ops', 'schema_version notifications deliveries attempts decisions local_plans reason_codes
            pauses erasures')
        """

    /// Rights on some columns of a table of schema `tidings`.
    private static let columns: SQL = """
        ('tidings_app', 'update', 'inbox', 'position changed seen_at read_at dismissed_at deleted_at snoozed_until woken_at'),
        ('tidings_app', 'update', 'inboxes', 'position total unread snoozed wakes_at'),
        ('tidings_app', 'update', 'engagement_days', 'day n'),
        ('tidings_app', 'insert', 'recipients', 'tenant id changed_at'),
        ('tidings_app', 'update', 'recipients', 'changed_at time_zone quiet_start quiet_end disabled_channels disabled_categories
            enabled_types disabled_types'),
        ('tidings_app', 'select', 'endpoints', 'tenant recipient_id id channel provider address permission gone_at changed_at platform
            environment market time_zone locale app_version registered_at gone_reason token_identity'),
        ('tidings_app', 'insert', 'endpoints', 'tenant recipient_id id channel provider address permission changed_at platform environment
            market time_zone locale app_version registered_at token_identity'),
        ('tidings_app', 'update', 'endpoints', 'provider address permission gone_at changed_at platform environment market time_zone locale
            app_version registered_at gone_reason token_identity'),
        ('tidings_app', 'select', 'addresses', 'tenant recipient_id id kind value identity source consent consent_at verified_at
            suppressed_at suppressed_until suppressed_because created_at changed_at'),
        ('tidings_app', 'insert', 'local_plans', 'tenant device_id'),
        ('tidings_app', 'update', 'local_plans', 'version acked_version forgotten_version synced_at acked_at'),
        ('tidings_app', 'update', 'local_requests', 'in_plan version fires_at zone confirmed_at ends_as end_reason'),
        ('tidings_app', 'select', 'pauses', 'id scope name until resumed_at'),
        ('tidings_run_api', 'update', 'api_keys', 'last_used_at'),
        ('tidings_run_api', 'update', 'idempotent_requests', 'notification_ids'),
        ('tidings_run_api', 'update', 'reservations', 'cancelled_at cancel_reason'),
        ('tidings_run_api', 'select', 'idempotency_recent', 'key'),
        ('tidings_run_api', 'select', 'notifications', 'id tenant recipient_id planned critical'),
        ('tidings_run_api', 'update', 'notifications', 'traceparent'),
        ('tidings_run_api', 'update', 'deliveries', 'state reason ended_at'),
        ('tidings_run_api', 'update', 'escalation_losses', 'noted_at'),
        ('tidings_run_api', 'update', 'packs', 'notification_ids ordinals attempts'),
        ('tidings_run_api', 'select', 'endpoints', 'tenant recipient_id id channel provider address gone_at registered_at token_identity'),
        ('tidings_run_api', 'update', 'endpoints', 'recipient_id gone_at changed_at gone_reason'),
        ('tidings_run_api', 'select', 'addresses', 'tenant recipient_id id kind value identity source consent consent_at verified_at
            suppressed_at suppressed_until suppressed_because created_at changed_at'),
        ('tidings_run_api', 'insert', 'addresses', 'tenant recipient_id kind value identity source consent consent_at verified_at
            created_at changed_at'),
        ('tidings_run_api', 'update', 'addresses', 'source consent consent_at verified_at suppressed_at suppressed_until
            suppressed_because changed_at'),
        ('tidings_run_api', 'select', 'recipients', 'tenant id'),
        ('tidings_run_api', 'update', 'recipients', 'changed_at'),
        ('tidings_run_api', 'update', 'local_plans', 'forgotten_version'),
        ('tidings_run_api', 'select', 'local_requests', 'tenant device_id notification_id ordinal in_plan version fires_at confirmed_at
            ends_as'),
        ('tidings_run_api', 'update', 'local_requests', 'ends_as end_reason'),
        ('tidings_run_api', 'select', 'inbox', 'tenant recipient_id notification_id position changed deleted_at snoozed_until woken_at'),
        ('tidings_run_api', 'update', 'erased_people', 'erasure erased_at'),
        ('tidings_run_api', 'select', 'erasures', 'id state'),
        ('tidings_run_api', 'update', 'erasures', 'readmitted_at readmitted_by')
        """

    /// The wanted rights that a role does not have, also not by being a member of another role, and the roles that do not exist. Also
    /// whether ``runAPI`` has the rights of ``app`` outside of the statements of a person.
    static func missing(with parts: [SchemaPart]) -> SQL {
        """
        \(wanted(with: parts))
        select m.role, m.kind, m.object, m.privilege || coalesce(' (' || m.attribute || ')', '')
        from (
            select w.role, w.kind, w.object, w.privilege, w.attribute, r.place
            from wanted w join roles r on r.name = w.role
            where r.id is not null and not case w.kind
                when 'schema' then has_schema_privilege(r.id, w.id, w.privilege)
                when 'table' then has_table_privilege(r.id, w.id, w.privilege)
                when 'column' then has_column_privilege(r.id, w.id, w.attribute, w.privilege)
                when 'sequence' then has_sequence_privilege(r.id, w.id, w.privilege)
                when 'function' then has_function_privilege(r.id, w.id, w.privilege)
                when 'policy' then exists (
                    select from pg_policy p where p.polrelid = w.id and p.polpermissive and r.id = any (p.polroles))
                else \(mayTakeRole("r.id", "w.id"))
            end
            union all
            select r.name, 'role', r.name, 'role', null, r.place from roles r where r.id is null
            union all
            select r.name, 'inheritance', a.name, 'inheritance', null, r.place from roles r join roles a on a.name = \(app)
            where r.name = \(runAPI) and r.id is not null and a.id is not null and pg_has_role(r.id, a.id, 'usage')
        ) m
        order by m.place, m.kind = 'schema' desc, m.object, m.privilege, m.attribute
        """
    }

    /// One row: the user, whether the user may create roles, the owner of the schema, and whether the owner may not take ``app``.
    static let who: SQL = """
        select quote_ident(current_user), u.rolsuper or u.rolcreaterole, quote_ident(o.rolname),
            coalesce(not o.rolsuper and not coalesce(\(mayTakeRole("o.oid", "to_regrole('tidings_app')::oid")), false), false)
        from pg_roles u left join pg_namespace n on n.nspname = 'tidings' left join pg_roles o on o.oid = n.nspowner
        where u.rolname = current_user
        """

    /// Whether a role may run `set role` for another one. From PostgreSQL 16 on, a user who creates a role is a member that may not take
    /// the role.
    private static func mayTakeRole(_ role: String, _ other: String) -> SQL {
        """
        pg_has_role(\(unsafe: role), \(unsafe: other),
            case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end)
        """
    }
}
