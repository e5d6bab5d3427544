import Testing
import TidingsCore
import TidingsJSON
import TidingsJSONSchema
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The export of a person, page by page.
@Suite struct PersonalExportTests {
    private static let eve = RecipientKey(tenant: "default", id: "eve-of-the-export")
    private static let bob = RecipientKey(tenant: "default", id: "bob-of-the-export")

    @Test func everythingOfThePersonIsInTheDocument() async throws {
        try await StoreScene.with { scene in
            _ = try await scene.populate(Self.eve)
            _ = try await scene.populate(Self.bob)
            let text = String(decoding: try await scene.export(Self.eve).joined(), as: UTF8.self)
            let document = try JSON.parse(text)
            let faults = try SchemaFiles.schema("recipient-export").validate(document)
            #expect(faults.isEmpty, "\(faults)")
            #expect(document["recipient"]?.stringValue == Self.eve.id && document["tenant"] == "default")
            let data = try #require(document["data"]?.objectValue)
            #expect(data.keys == PersonalPlaces.tables.flatMap(\.sections).map(\.name))
            let expected = [
                "recipients": 1, "endpoints": 1, "addresses": 2, "inbox": 2, "engagement": 1, "notifications": 6, "due": 1,
                "local_requests": 2, "rejected": 1,
            ]
            for (name, count) in expected { #expect(data[name]?.arrayValue?.count == count, "\(name)") }
            #expect(!text.contains(Self.bob.id) && !text.contains("token-of-") && !text.contains("hook-of-"))
            let addresses = data["addresses"]?.arrayValue?.compactMap { $0["value"]?.stringValue } ?? []
            #expect(addresses == ["\(Self.eve.id)@example.com", String("hook-of-\(Self.eve.id)".suffix(8))])
            #expect(data["endpoints"]?.arrayValue?.first?["address_end"]?.stringValue == String("token-of-\(Self.eve.id)".suffix(8)))
        }
    }

    @Test func aPersonWhoWasNeverSeenHasEmptySections() async throws {
        try await StoreScene.with { scene in
            let quoted = RecipientKey(tenant: "acme", id: #"a "quoted" name\"#)
            let document = try JSON.parse(String(decoding: try await scene.export(quoted).joined(), as: UTF8.self))
            #expect(try SchemaFiles.schema("recipient-export").isValid(document))
            #expect(document["recipient"]?.stringValue == quoted.id && document["tenant"] == "acme")
            #expect(document["data"]?.objectValue?.entries.allSatisfy { $0.value.arrayValue?.isEmpty == true } == true)
        }
    }

    /// Many entries, and large ones among them. No part of the document is larger than a page, and none is missing or repeated.
    @Test func aLongExportComesInPages() async throws {
        let (small, large, size) = (20_000, 30, 120_000)
        try await StoreScene.with { scene in
            for (first, count, length) in [(0, small, 10), (small, large, size)] {
                _ = try await scene.system.query(
                    """
                    insert into tidings.inbox (tenant, recipient_id, notification_id, position, type, category, title, body, data,
                        created_at)
                    select \(Self.eve.tenant), \(Self.eve.id), ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n, 't',
                        'social', 'T', repeat('b', \(Int32(length))), '{}', tidings.clock()
                    from generate_series(\(Int64(first)), \(Int64(first + count - 1))) n
                    """)
            }
            let parts = try await scene.export(Self.eve)
            #expect(parts.allSatisfy { !$0.isEmpty && $0.count <= Int(PersonalExport.bytes) + size + 1_000 })
            #expect(parts.count > small / Int(PersonalExport.rows) + large * size / Int(PersonalExport.bytes))
            let document = try JSON.parse(Array(parts.joined()))
            let ids = (document["data"]?["inbox"]?.arrayValue ?? []).compactMap { $0["notification_id"]?.stringValue }
            #expect(ids.count == small + large && Set(ids).count == ids.count)
        }
    }

    /// Few notifications with large histories. A page ends between two of them.
    @Test func aLongHistoryComesInPages() async throws {
        let (count, size) = (5, 300_000)
        try await StoreScene.with { scene in
            for number in 1...count { try await scene.take(scene.claims([StoreScene.intent(number, to: Self.eve)])) }
            try await scene.addAttempts(size)
            let parts = try await scene.export(Self.eve)
            #expect(parts.allSatisfy { $0.count <= Int(PersonalExport.bytes) + 2 * size + 10_000 }, "\(parts.map(\.count))")
            let attempts = try JSON.parse(Array(parts.joined()))["data"]?["attempts"]?.arrayValue ?? []
            let told = attempts.map { "\($0["notification_id"]?.stringValue ?? "") \($0["attempt"]?.intValue ?? 0)" }
            #expect(told.count == 2 * count && Set(told).count == told.count)
        }
    }
}

extension StoreScene {
    /// Gives each notification two attempts, each with so many bytes of an answer.
    fileprivate func addAttempts(_ bytes: Int) async throws {
        _ = try await system.query(
            """
            insert into tidings.attempts (notification_id, ordinal, attempt, channel, provider, outcome, reason, detail, idempotency_key,
                worker, started_at, finished_at)
            select n.id, 0, a, 'push', 'phone', 'retry', 'serverError', repeat('d', \(Int32(bytes))), 'k', 'w', tidings.clock(),
                tidings.clock()
            from tidings.notifications n cross join generate_series(1, 2) a
            """)
    }

    /// The parts of an export.
    fileprivate func export(_ person: RecipientKey) async throws -> [[UInt8]] {
        var export = PersonalExport(of: person, from: store, projections: Projections())
        var parts: [[UInt8]] = []
        while let part = try await export.next() { parts.append(part) }
        return parts
    }
}
