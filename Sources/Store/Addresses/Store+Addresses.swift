public import TidingsCore
public import TidingsJSON
import TidingsPostgres

extension Store {
    /// The largest number of addresses of one kind of a person. Each address gets a delivery of its own.
    public static let addressesPerKind = 5
}

/// Addresses of people beside devices. A person may read the own addresses and change none, so the process makes the changes.
extension Store.Addresses {
    /// Stores an address of a person, or new facts of a known one, and creates the person if needed. Tidings judges every earlier decision
    /// for the person again before it sends. Throws ``RecipientErased``.
    ///
    /// - An address is known by its canonical form, and keeps the spelling that came first. It stays suppressed.
    /// - A person has one webhook. Its URL takes the place of the earlier one, and a suppression ends.
    ///
    /// - Parameter secrets: sign webhooks, the current one first. An empty list keeps the stored ones.
    /// - Returns: The id of the address. Nil if the person has ``Store/addressesPerKind`` other ones of the kind.
    public func set(
        _ address: Address, secrets: [String] = [], of person: RecipientKey, _ facts: AddressFacts
    ) async throws -> String? {
        let storing =
            address.kind == .webhook
            ? Self.storing(webhook: WebhookEndpoint(url: address.value, secrets: secrets), of: person, facts)
            : Self.storing(address, of: person, facts)
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { transaction in
            var trip = RoundTrip()
            let isErased = trip.lookForTombstone(of: person)
            // The row of the person puts changes in sequence: each counts the addresses that the one before has stored.
            trip.run([Store.beginPerson(person), Self.touch(person), Store.endPerson])
            let id = trip.ask(.first(storing) { try $0.decode(String.self) })
            let found = try await transaction.send(trip)
            if try found[isErased] { throw RecipientErased() }
            return try found[id]
        }
    }

    /// Changes the facts of an address. Tidings judges every earlier decision for the person again before it sends. Returns false if the
    /// person has no such address.
    public func change(_ id: String, of person: RecipientKey, _ changes: AddressChanges) async throws -> Bool {
        let (isVerified, consent) = (changes.isVerified, changes.consent?.rawValue)
        let isKept = changes.suppression == nil
        let suppression: AddressSuppression? = changes.suppression ?? nil
        let change: SQL = """
            update tidings.addresses a set changed_at = tidings.clock(),
                verified_at = case when \(isVerified == nil) then a.verified_at when \(isVerified) then tidings.clock() end,
                consent = coalesce(\(consent), a.consent),
                consent_at = case when \(consent == nil) or a.consent = \(consent) then a.consent_at else tidings.clock() end,
                suppressed_at = case when \(isKept) then a.suppressed_at when \(suppression != nil) then tidings.clock() end,
                suppressed_until = case when \(isKept) then a.suppressed_until else \(suppression?.until?.timestamptz) end,
                suppressed_because = case when \(isKept) then a.suppressed_because else \(suppression?.reason) end
            where \(Self.isAddress(id, of: person))
            """
        return try await make(change, of: person)
    }

    /// Deletes an address. Tidings judges every earlier decision for the person again before it sends. Returns false if the person has no
    /// such address.
    public func remove(_ id: String, of person: RecipientKey) async throws -> Bool {
        try await make("delete from tidings.addresses a where \(Self.isAddress(id, of: person))", of: person)
    }

    /// Makes a change of an address, and notes the time at which its person last changed. Returns false if the address does not exist.
    ///
    /// The lock of the person comes before that of the address, as in ``set(_:secrets:of:_:)``. In another order, two changes of an address
    /// could wait for each other.
    private func make(_ change: SQL, of person: RecipientKey) async throws -> Bool {
        var trip = RoundTrip()
        trip.run("select from tidings.recipients r where r.tenant = \(person.tenant) and r.id = \(person.id) for no key update")
        let noting: SQL = """
            with changed as (\(change) returning a.tenant, a.recipient_id)
            update tidings.recipients r set changed_at = tidings.clock() from changed
            where r.tenant = changed.tenant and r.id = changed.recipient_id returning r.id
            """
        let isMade = trip.ask(.exists(noting))
        return try await pool.transaction(retryAmbiguous: true, isolation: .readCommitted) { [trip] transaction in
            try await transaction.send(trip)[isMade]
        }
    }

    private static func isAddress(_ id: String, of person: RecipientKey) -> SQL {
        "a.tenant = \(person.tenant) and a.recipient_id = \(person.id) and a.id = \(id)"
    }

    private static func touch(_ person: RecipientKey) -> SQL {
        """
        insert into tidings.recipients (tenant, id, changed_at) values (\(person.tenant), \(person.id), tidings.clock())
        on conflict (tenant, id) do update set changed_at = excluded.changed_at
        """
    }
}

// MARK: - Statements that store

extension Store.Addresses {
    /// Returns the id of the address, unless the person has too many others of the kind.
    private static func storing(_ address: Address, of person: RecipientKey, _ facts: AddressFacts) -> SQL {
        """
        insert into tidings.addresses as a (tenant, recipient_id, kind, value, identity, source, consent, consent_at, verified_at,
            created_at, changed_at)
        select \(person.tenant), \(person.id), \(address.kind.rawValue), \(address.value), \(address.identity), \(values(of: facts))
        where (select count(*) from tidings.addresses o where o.tenant = \(person.tenant) and o.recipient_id = \(person.id)
            and o.kind = \(address.kind.rawValue) and o.identity <> \(address.identity)) < \(Int64(Store.addressesPerKind))
        on conflict (tenant, recipient_id, kind, identity) do update set \(changes(by: facts)),
            verified_at = coalesce(excluded.verified_at, a.verified_at)
        returning a.id
        """
    }

    /// Stores the webhook of a person, or removes it.
    static func setting(webhook: WebhookEndpoint?, of person: RecipientKey) -> SQL {
        guard let webhook else { return "delete from tidings.addresses a where \(isAddress(Store.webhookEndpointID, of: person))" }
        return storing(webhook: webhook, of: person, AddressFacts(source: AddressFacts.operatorSource))
    }

    /// Stores the webhook of a person. Returns its id.
    private static func storing(webhook: WebhookEndpoint, of person: RecipientKey, _ facts: AddressFacts) -> SQL {
        """
        insert into tidings.addresses as a (tenant, recipient_id, id, kind, value, identity, secrets, source, consent, consent_at,
            verified_at, created_at, changed_at)
        values (\(person.tenant), \(person.id), \(Store.webhookEndpointID), \(AddressKind.webhook.rawValue), \(webhook.url),
            \(Address.identity(ofWebhook: webhook.url)), \(webhook.secrets), \(values(of: facts)))
        on conflict (tenant, recipient_id, id) do update set \(changes(by: facts)), value = excluded.value, identity = excluded.identity,
            secrets = case when excluded.secrets = '{}' then a.secrets else excluded.secrets end,
            verified_at = coalesce(excluded.verified_at, case when a.identity = excluded.identity then a.verified_at end),
            suppressed_at = null, suppressed_until = null, suppressed_because = null,
            created_at = case when a.identity = excluded.identity then a.created_at else excluded.created_at end
        returning a.id
        """
    }

    /// The values of source, consent, its time, the verification, the creation and the change of a new address.
    private static func values(of facts: AddressFacts) -> SQL {
        """
        \(facts.source), \((facts.consent ?? .unknown).rawValue), case when \(facts.consent != nil) then tidings.clock() end,
            case when \(facts.isVerified) then tidings.clock() end, tidings.clock(), tidings.clock()
        """
    }

    /// The assignments for the known address `a`. A consent that is told again keeps its time.
    private static func changes(by facts: AddressFacts) -> SQL {
        """
        source = excluded.source, changed_at = excluded.changed_at,
            consent = case when \(facts.consent == nil) then a.consent else excluded.consent end,
            consent_at = case when \(facts.consent == nil) or a.consent = excluded.consent then a.consent_at else excluded.consent_at end
        """
    }
}

// MARK: - Readings

extension Store.Addresses {
    /// Whether the messages to the person's webhook are signed with a secret of their own.
    public func hasWebhookSecret(_ person: RecipientKey) async throws -> Bool {
        let query: SQL =
            "select from tidings.addresses a where \(Self.isAddress(Store.webhookEndpointID, of: person)) and a.secrets <> '{}'"
        return try await pool.query(.exists(query))
    }

    /// The person's rows of `tidings_ops.addresses`, of each kind the oldest first.
    public func list(of person: RecipientKey) async throws -> [JSON] {
        try await store.report(
            """
            select * from tidings_ops.addresses a where a.tenant = \(person.tenant) and a.recipient_id = \(person.id)
            order by a.kind, a.created_at, a.address_id
            """)
    }
}
