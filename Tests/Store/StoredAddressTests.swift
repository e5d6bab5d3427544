import Synchronization
import Testing
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Addresses of people beside devices, as they are stored, changed and listed.
@Suite struct StoredAddressTests {
    private static let (ann, bob) = (StoreScene.person("ann"), StoreScene.person("bob"))

    @Test func anAddressIsStoredOnceHoweverItIsWritten() async throws {
        try await StoreScene.with { scene in
            let first = try await scene.set(.email, "Ann@Example.com", of: Self.ann)
            let again = try await scene.set(.email, "ann@example.COM", of: Self.ann)
            #expect(first == again)
            #expect(try await scene.set(.sms, "+1 415 555 0123", of: Self.ann) == scene.set(.sms, "+1-415-555-0123", of: Self.ann))
            // An address may be that of two people, such as of a family.
            let other = try await scene.set(.email, "ann@example.com", of: Self.bob)
            #expect(other != first)
            let values = try await scene.listed(of: Self.ann).map { $0["value"]?.stringValue }
            #expect(values == ["Ann@Example.com", "+1 415 555 0123"], "the spelling that came first stays")
        }
    }

    /// A backend that sends its list every night does not lift a suppression, and does not take a consent back that it does not know.
    @Test func aKnownAddressKeepsWhatIsNotTold() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.set(.email, "ann@example.com", consent: .granted, isVerified: true, of: Self.ann)
            let suppression = AddressSuppression(because: "mailbox full")
            #expect(try await scene.store.addresses.change(id, of: Self.ann, AddressChanges(suppression: .some(suppression))))
            let before = try await scene.address(id, of: Self.ann)
            #expect(before["state"] == "suppressed" && before["consent"] == "granted" && before["verified_at"]?.isNull == false)

            try await scene.store.upkeep.shiftClock(by: .seconds(60))
            _ = try await scene.set(.email, "ann@example.com", consent: .granted, of: Self.ann)
            _ = try await scene.set(.email, "ann@example.com", of: Self.ann)
            let after = try await scene.address(id, of: Self.ann)
            for member in ["state", "suppressed_because", "consent", "consent_at", "verified_at", "created_at"] {
                #expect(after[member] == before[member], "\(member)")
            }
            #expect(after["changed_at"] != before["changed_at"])
        }
    }

    /// Ten registrations at once do not exceed the limit either.
    @Test func aPersonHasAFewAddressesOfAKind() async throws {
        try await StoreScene.with { scene in
            let stored = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<(2 * Store.addressesPerKind) {
                    group.addTask {
                        let address = try Address(.email, "ann\(number)@example.com")
                        return try await scene.store.addresses.set(address, of: Self.ann, AddressFacts(source: "tests"))
                    }
                }
                var ids: [String?] = []
                for try await id in group { ids.append(id) }
                return ids
            }
            #expect(stored.compactMap { $0 }.count == Store.addressesPerKind)
            let list = try await scene.listed(of: Self.ann)
            let known = try #require(list.first?["value"]?.stringValue)
            _ = try await scene.set(.email, known, of: Self.ann)
            _ = try await scene.set(.sms, "+14155550123", of: Self.ann)
            let full = try await scene.store.addresses.set(Address(.email, "x@example.com"), of: Self.ann, AddressFacts(source: "tests"))
            #expect(full == nil)
            let id = try #require(list.first?["address_id"]?.stringValue)
            #expect(try await scene.store.addresses.remove(id, of: Self.ann))
            _ = try await scene.set(.email, "x@example.com", of: Self.ann)
        }
    }

    /// A backend sends its list, and operators change the same address meanwhile.
    @Test func changesOfOneAddressNeverWaitForEachOther() async throws {
        let repeated = Mutex<[PostgresError]>([])
        let log: @Sendable (PostgresPoolEvent) -> Void = { event in
            if case .transactionRetried(let error, _) = event { repeated.withLock { $0.append(error) } }
        }
        try await StoreScene.logging(to: log) { scene in
            let id = try await scene.set(.email, "ann@example.com", of: Self.ann)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<3 {
                    group.addTask {
                        for round in 0..<20 {
                            if writer == 0 {
                                _ = try await scene.set(.email, "Ann@Example.com", of: Self.ann)
                            } else {
                                let changes = AddressChanges(isVerified: round.isMultiple(of: writer + 1))
                                #expect(try await scene.store.addresses.change(id, of: Self.ann, changes))
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(repeated.withLock { $0 }.isEmpty)
        }
    }

    @Test func aWebhookTakesThePlaceOfTheEarlierOne() async throws {
        try await StoreScene.with { scene in
            let id = try await scene.set(.webhook, "https://example.com/a", secrets: ["whsec_b25l"], isVerified: true, of: Self.ann)
            #expect(id == Store.webhookEndpointID)
            let gone = AddressSuppression(because: "endpointGone")
            #expect(try await scene.store.addresses.change(id, of: Self.ann, AddressChanges(suppression: .some(gone))))
            #expect(try await scene.set(.webhook, "https://example.com/b", of: Self.ann) == id)
            let rows = try await scene.store.addresses.list(of: Self.ann)
            #expect(rows.count == 1 && rows.first?["secrets"]?.intValue == 1, "the stored secret stays: \(rows)")
            #expect(rows.first?["state"] == "active" && rows.first?["verified_at"]?.isNull == true, "\(rows)")
            let values = try await scene.listed(of: Self.ann).map { $0["value"] }
            #expect(values == ["https://example.com/b"])
        }
    }

    @Test func aSuppressionEndsByItselfOrIsLifted() async throws {
        try await StoreScene.with { scene in
            let store = scene.store
            let id = try await scene.set(.sms, "+14155550123", of: Self.ann)
            let until = store.clock.now().adding(.seconds(3_600))
            let limited = AddressSuppression(because: "STOP", until: until)
            #expect(try await store.addresses.change(id, of: Self.ann, AddressChanges(suppression: .some(limited))))
            #expect(try await scene.address(id, of: Self.ann)["state"] == "suppressed")
            try await store.upkeep.shiftClock(by: .seconds(3_700))
            #expect(try await scene.address(id, of: Self.ann)["state"] == "active")

            let endless = AddressSuppression(because: "STOP")
            #expect(try await store.addresses.change(id, of: Self.ann, AddressChanges(suppression: .some(endless))))
            #expect(try await scene.address(id, of: Self.ann)["suppressed_until"]?.isNull == true)
            #expect(try await store.addresses.change(id, of: Self.ann, AddressChanges(consent: .denied, suppression: .some(nil))))
            let denied = try await scene.address(id, of: Self.ann)
            #expect(denied["state"] == "denied" && denied["suppressed_because"]?.isNull == true && denied["consent_at"]?.isNull == false)
        }
    }

    /// Each change makes workers judge earlier decisions again. A change of nothing is told as such.
    @Test func aChangeCountsForEarlierDecisions() async throws {
        try await StoreScene.with { scene in
            let store = scene.store
            func version() async throws -> Int64 {
                try await store.recipients.facts(of: "ann", tenant: "default", zones: scene.zones, around: store.clock.now()).version
            }
            var versions = [try await version()]
            let id = try await scene.set(.email, "ann@example.com", of: Self.ann)
            versions.append(try await version())
            #expect(try await store.addresses.change(id, of: Self.ann, AddressChanges(consent: .denied)))
            versions.append(try await version())
            #expect(try await store.addresses.remove(id, of: Self.ann))
            versions.append(try await version())
            #expect(versions.first == 0 && zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }, "\(versions)")
            #expect(try await !store.addresses.remove(id, of: Self.ann))
            #expect(try await !store.addresses.change(id, of: Self.ann, AddressChanges(isVerified: true)))
            #expect(try await !store.addresses.remove("webhook", of: Self.bob))
            #expect(try await version() == versions.last)
        }
    }

    /// The two lists show the same part of a value.
    @Test func aBackendAndAnOperatorSeeTheSame() async throws {
        try await StoreScene.with { scene in
            for person in [Self.ann, Self.bob] {
                _ = try await scene.set(.email, "ann@example.com", of: person)
                _ = try await scene.set(.sms, "+1 (415) 555-01.23", of: person)
            }
            _ = try await scene.set(.webhook, "HTTPS://name@Example.com:8443?key=secret", of: Self.ann)
            _ = try await scene.set(.webhook, "no-url-and-yet-long-enough", of: Self.bob)
            for (person, webhook) in [(Self.ann, "https://Example.com:8443/…"), (Self.bob, "…")] {
                let shown = try await scene.listed(of: person, showingAddresses: false)
                let masked = try await scene.store.addresses.list(of: person)
                #expect(shown.map { $0["value"]?.stringValue } == ["a…@example.com", "…0123", webhook])
                #expect(masked.map { $0["value_masked"] } == shown.map { $0["value"] })
                for member in ["address_id", "kind", "source", "consent", "state", "created_at"] {
                    #expect(masked.map { $0[member] } == shown.map { $0[member] }, "\(member)")
                }
            }
            let (own, others) = (try await scene.listed(of: Self.ann), try await scene.listed(of: Self.bob))
            #expect(own.first?["address_id"] != others.first?["address_id"], "an address belongs to one person")
        }
    }

    @Test func nothingIsStoredOfAnErasedPerson() async throws {
        try await StoreScene.with { scene in
            try await scene.bury(Self.ann)
            let address = try Address(.email, "ann@example.com")
            await #expect(throws: RecipientErased.self) {
                try await scene.store.addresses.set(address, of: Self.ann, AddressFacts(source: "tests"))
            }
            #expect(try await scene.count("select count(*) from tidings.addresses") == 0)
            #expect(try await scene.count("select count(*) from tidings.recipients") == 0)
        }
    }
}

extension StoreScene {
    /// Stores an address, and requires that the person has room for it.
    fileprivate func set(
        _ kind: AddressKind, _ value: String, secrets: [String] = [], consent: Consent? = nil, isVerified: Bool = false,
        of person: RecipientKey
    ) async throws -> String {
        let facts = AddressFacts(source: "tests", consent: consent, isVerified: isVerified)
        return try #require(try await store.addresses.set(Address(kind, value), secrets: secrets, of: person, facts))
    }

    /// The addresses as a backend sees them.
    fileprivate func listed(of person: RecipientKey, showingAddresses isWhole: Bool = true) async throws -> [JSON] {
        try await store.recipients.list(.addresses, of: person, showingAddresses: isWhole)
    }

    fileprivate func address(_ id: String, of person: RecipientKey) async throws -> JSON {
        let rows = try await store.addresses.list(of: person)
        return try #require(rows.first { $0["address_id"]?.stringValue == id })
    }
}
