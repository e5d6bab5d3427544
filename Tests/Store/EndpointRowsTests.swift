import Testing
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// Devices and addresses in one form, as routing, workers and backends see them.
@Suite struct EndpointRowsTests {
    private static let ann = StoreScene.person("person-1")

    @Test func routingSeesDevicesAndAddresses() async throws {
        try await StoreScene.with { scene in
            let endpoints = try await scene.addEndpoints(of: Self.ann)
            func seen() async throws -> Set<String> {
                let facts = try await scene.store.recipients.facts(
                    of: Self.ann.id, tenant: Self.ann.tenant, zones: scene.zones, around: scene.store.clock.now())
                return Set(facts.endpoints.map { "\($0.channel.rawValue) \($0.address)\($0.isGone ? " gone" : "")" })
            }
            let all: Set = ["push phone", "email Ann@example.com", "sms +14155550123", "webhook https://example.com/hook"]
            #expect(try await seen() == all)

            let addresses = scene.store.addresses
            let bounce = AddressSuppression(because: "bounce")
            #expect(try await addresses.change(endpoints.email, of: Self.ann, AddressChanges(suppression: .some(bounce))))
            #expect(try await addresses.change(endpoints.sms, of: Self.ann, AddressChanges(consent: .denied)))
            let fewer: Set = ["push phone", "email Ann@example.com gone", "sms +14155550123 gone", "webhook https://example.com/hook"]
            #expect(try await seen() == fewer)
            #expect(try await addresses.change(endpoints.email, of: Self.ann, AddressChanges(suppression: .some(nil))))
            #expect(try await addresses.change(endpoints.sms, of: Self.ann, AddressChanges(consent: .granted)))
            #expect(try await seen() == all)
        }
    }

    @Test func aClaimReadsTheAddressOfEachKind() async throws {
        try await StoreScene.with { scene in
            let endpoints = try await scene.addEndpoints(of: Self.ann)
            let pack = try #require(try await scene.take(1...1).packs.first)
            let entry = try #require(pack.entries.first)
            let claim = ClaimID(scene.store.clock.nextID())
            for (endpoint, address, secrets) in [
                (endpoints.phone, "phone", []), (endpoints.email, "Ann@example.com", []), (endpoints.sms, "+14155550123", []),
                (Store.webhookEndpointID, "https://example.com/hook", ["whsec_c2VjcmV0"]), ("nothing", nil, nil),
            ] as [(String, String?, [String]?)] {
                let asked = PackEntry(
                    header: entry.header, content: entry.content, endpoint: endpoint, decidedAt: entry.decidedAt,
                    validUntil: entry.validUntil)
                let same = Pack(id: pack.id, channel: pack.channel, provider: pack.provider, lane: pack.lane, entries: [asked])
                let claims = try await scene.store.outbox.claim([same], worker: "w", as: claim)
                let found = claims.addresses[asked.key]
                #expect(found?.address == address && found?.secrets == secrets, "\(endpoint)")
                #expect((found?.platform != nil) == (endpoint == endpoints.phone), "\(endpoint)")
            }
        }
    }

    /// A provider says that an address does not exist. A suppression by somebody else, which would end, is then without an end.
    @Test func anAddressThatIsGoneIsSuppressed() async throws {
        try await StoreScene.with { scene in
            let endpoints = try await scene.addEndpoints(of: Self.ann)
            // The clock of this process may be a little behind that of the database.
            let (store, now) = (scene.store, scene.store.clock.now().adding(.seconds(1)))
            let limited = AddressSuppression(because: "mailbox full", until: now.adding(.seconds(3_600)))
            #expect(try await store.addresses.change(endpoints.email, of: Self.ann, AddressChanges(suppression: .some(limited))))
            let bounce = AddressSuppression(because: "the person asked")
            #expect(try await store.addresses.change(endpoints.sms, of: Self.ann, AddressChanges(suppression: .some(bounce))))
            var gone = EndpointsGone()
            for endpoint in [endpoints.email, endpoints.sms, Store.webhookEndpointID, "nothing"] {
                gone.add(tenant: Self.ann.tenant, recipient: Self.ann.id, endpoint: endpoint, at: now)
            }
            _ = try await scene.system.query(try #require(gone.update))
            let rows = try await store.addresses.list(of: Self.ann)
            #expect(rows.map { $0["state"] } == ["suppressed", "suppressed", "suppressed"])
            #expect(rows.allSatisfy { $0["suppressed_until"]?.isNull == true }, "\(rows)")
            #expect(rows.map { $0["suppressed_because"] } == ["endpointGone", "the person asked", "endpointGone"])
            #expect(try await scene.count("select count(*) from tidings.endpoints where gone_at is null") == 1)
        }
    }

    /// A call to the earlier URL of a webhook, which is gone, ends after the person has got another URL.
    @Test func anAnswerAboutAnEarlierURLIsIgnored() async throws {
        try await StoreScene.with { scene in
            _ = try await scene.addEndpoints(of: Self.ann)
            let began = scene.store.clock.now()
            func tell(at time: Timestamp) async throws -> JSON? {
                var gone = EndpointsGone()
                gone.add(tenant: Self.ann.tenant, recipient: Self.ann.id, endpoint: Store.webhookEndpointID, at: time)
                _ = try await scene.system.query(try #require(gone.update))
                return try await scene.store.addresses.list(of: Self.ann).last?["state"]
            }
            func set(_ url: String) async throws {
                _ = try await scene.store.addresses.set(Address(.webhook, url), of: Self.ann, AddressFacts(source: "tests"))
            }
            try await scene.shiftClock(by: .seconds(60))
            try await set("https://example.com/other")
            #expect(try await tell(at: began.adding(.seconds(30))) == "active")
            try await scene.shiftClock(by: .seconds(120))
            // The same URL again is the same address.
            try await set("HTTPS://Example.com/other")
            #expect(try await tell(at: began.adding(.seconds(90))) == "suppressed")
        }
    }

    /// The answer about a person has addresses beside devices, in the form that devices had alone.
    @Test func aBackendSeesAllOfThem() async throws {
        try await StoreScene.with { scene in
            _ = try await scene.addEndpoints(of: Self.ann)
            let settings = try #require(try await scene.store.recipients.settings(of: Self.ann, showingAddresses: false))
            let endpoints = settings["endpoints"]?.arrayValue ?? []
            let shown = Set(endpoints.compactMap { $0["address"]?.stringValue })
            #expect(shown == ["…", "A…@example.com", "…0123", "https://example.com/…"])
            for endpoint in endpoints {
                #expect(endpoint.objectValue?.keys == ["id", "channel", "address", "permission", "gone_at"], "\(endpoint)")
            }
            let row = try #require(try await scene.store.recipients.row(Self.ann.id, tenant: Self.ann.tenant))
            let told = row["endpoints"]?.arrayValue ?? []
            #expect(told.compactMap { $0["secrets"]?.intValue }.sorted() == [0, 0, 0, 1])
            let written = Set(told.compactMap { $0["address"]?.stringValue })
            #expect(written == ["phone", "A…@example.com", "…0123", "https://example.com/hook"], "an operator sees tokens and URLs")
        }
    }

    /// PostgreSQL prefers to read such small tables whole, so it is told not to. A part without a fitting index would still be read whole.
    @Test func bothTablesAreReadByIndex() async throws {
        try await StoreScene.with { scene in
            let person: (tenant: SQL, recipient: SQL) = ("asked.tenant", "asked.recipient_id")
            let all = EndpointRows.select([.id, .address, .goneAt], tenant: person.tenant, recipient: person.recipient)
            let one = EndpointRows.select([.address, .secrets], tenant: person.tenant, recipient: person.recipient, id: "asked.endpoint")
            for query in [all, one + " limit 1"] {
                var trip = RoundTrip(running: ["set local enable_seqscan = off"])
                let explaining: SQL = """
                    explain select e.* from (values ('t', 'p', 'e'), ('t', 'q', 'f')) asked(tenant, recipient_id, endpoint)
                    left join lateral (\(query)) e on true
                    """
                let plan = trip.ask(.rows(explaining) { try $0.decode(String.self) })
                let lines = try await scene.store.pool.send(trip)[plan].joined(separator: "\n")
                #expect(lines.contains("endpoints_pkey") && lines.contains(/addresses_(?:pkey|identity)/), "\(lines)")
                #expect(!lines.contains("Seq Scan on endpoints") && !lines.contains("Seq Scan on addresses"), "\(lines)")
            }
        }
    }
}

extension StoreScene {
    /// Gives a person a device and an address of each kind, and returns their ids.
    fileprivate func addEndpoints(of person: RecipientKey) async throws -> (phone: String, email: String, sms: String) {
        let device = try await store.recipients.register(
            token: DeviceToken("phone"), of: person.id, tenant: person.tenant, DeviceSettings())
        let facts = AddressFacts(source: "tests")
        let email = try await store.addresses.set(Address(.email, "Ann@example.com"), of: person, facts)
        let sms = try await store.addresses.set(Address(.sms, "+1 (415) 555-0123"), of: person, facts)
        var changes = RecipientChanges()
        changes.webhook = .some(WebhookEndpoint(url: "https://example.com/hook", secrets: ["whsec_c2VjcmV0"]))
        try await store.recipients.change(person.id, tenant: person.tenant, changes)
        return (device.deviceID, try #require(email), try #require(sms))
    }
}
