import TidingsCore
import TidingsPostgres

@testable import TidingsStore

/// The transaction of a router, and the ids that the HTTP API promises before it.
extension StatementCall {
    static let intake: [StatementCall] = [
        StatementCall("intake") { try await Self.take($0) },
        StatementCall("intake") { try await Self.take($0, projection: "sample") },
        StatementCall("intake") { store in
            // A process that has met no duplicate for a while claims keys by another statement.
            for _ in 0..<DuplicateWatch.memory { store.duplicates.note(duplicates: false) }
            try await Self.take(store)
        },
        StatementCall("intake") { store in
            _ = try await store.intake { intake in
                _ = try await intake.claim(IntakeClaims([]) { Samples.id }, zones: Samples.zones, naming: [Samples.person])
                return try await intake.write(IntakeWrite(catalogue: Samples.catalogue, refused: [Samples.refused], now: Samples.now))
            }
        },
    ]

    /// Takes an intent that is new and one whose key was claimed before.
    private static func take(_ store: Store, projection: String? = nil) async throws {
        let claims = IntakeClaims([Samples.intent(), Samples.intent(Samples.otherDigest)]) { store.clock.nextID() }
        _ = try await store.intake { intake in
            guard let claimed = try await intake.claim(claims, zones: Samples.zones) else { return IntakeResult() }
            var write = IntakeWrite(catalogue: Samples.catalogue, refused: [Samples.refused], now: claimed.now)
            for one in claimed.all {
                if one.standing.isFirst {
                    write.accept(one, routed: Samples.routed(at: claimed.now, projection: projection))
                } else {
                    write.drop(one)
                }
            }
            return try await intake.write(write, projections: Projections([SampleModule()]))
        }
    }

    static let reservations: [StatementCall] = [
        StatementCall("reservations.reserve") { _ = try await $0.reservations.reserve([ReservationRequest([Samples.intent()])]) },
        // The name is new, so the ids are stored with it.
        StatementCall("reservations.reserve") {
            _ = try await $0.reservations.reserve([ReservationRequest([Samples.intent()], named: Self.named(Samples.event))])
        },
        StatementCall("reservations.reserve") {
            _ = try await $0.reservations.reserve([ReservationRequest([Samples.intent()], named: Self.named([1]))])
        },
        // The content is another one, so the ids and the name are taken back.
        StatementCall("reservations.reserve") { store in
            let conflict = ReservationRequest([Samples.intent(content: Samples.otherDigest)], named: Self.named(Samples.event))
            _ = try await store.reservations.reserve([conflict])
        },
        StatementCall("reservations.cancel") { store in
            _ = try await store.reservations.cancel(Samples.id, tenant: nil, reason: .cancelledByProducer)
        },
        StatementCall("reservations.cancel") { store in
            _ = try await store.reservations.cancel(Samples.id, tenant: "t", reason: .cancelledByProducer)
        },
        StatementCall("reservations.earlierAnswer") { _ = try await $0.reservations.earlierAnswer(to: Self.named(Samples.event)) },
        StatementCall("reservations.notification", with: recordRow) { _ = try await $0.reservations.notification(Samples.id, tenant: nil) },
        StatementCall("reservations.notification", with: recordRow) { _ = try await $0.reservations.notification(Samples.id, tenant: "t") },
        StatementCall("reservations.prune") { _ = try await $0.reservations.prune(after: nil, retention: Samples.retention) },
        StatementCall("reservations.prune", with: ["id": .null]) { store in
            _ = try await store.reservations.prune(after: Samples.id, retention: Samples.retention)
        },
        StatementCall("reservations.pruneNames") { _ = try await $0.reservations.pruneNames() },
    ]

    private static func named(_ fingerprint: [UInt8]) -> NamedRequest {
        NamedRequest(caller: Samples.caller, key: Samples.requestKey, fingerprint: fingerprint)
    }
}
