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
            for _ in 0..<DuplicateWatch.memory { store.duplicates.saw(any: false) }
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
        StatementCall("reserve") { _ = try await $0.reserve([ReservationRequest([Samples.intent()])]) },
        // The name is new, so the ids are stored with it.
        StatementCall("reserve") { _ = try await $0.reserve([ReservationRequest([Samples.intent()], named: Self.named(Samples.event))]) },
        StatementCall("reserve") { _ = try await $0.reserve([ReservationRequest([Samples.intent()], named: Self.named([1]))]) },
        // The content is another one, so the ids and the name are taken back.
        StatementCall("reserve") { store in
            let conflict = ReservationRequest([Samples.intent(content: Samples.otherDigest)], named: Self.named(Samples.event))
            _ = try await store.reserve([conflict])
        },
        StatementCall("cancelPromise") { store in
            _ = try await store.cancelPromise(Samples.id, tenant: nil, reason: .cancelledByProducer)
        },
        StatementCall("cancelPromise") { store in
            _ = try await store.cancelPromise(Samples.id, tenant: "t", reason: .cancelledByProducer)
        },
        StatementCall("earlierAnswer") { _ = try await $0.earlierAnswer(to: Self.named(Samples.event)) },
        StatementCall("promisedNotification", with: recordRow) { _ = try await $0.promisedNotification(Samples.id, tenant: nil) },
        StatementCall("promisedNotification", with: recordRow) { _ = try await $0.promisedNotification(Samples.id, tenant: "t") },
        StatementCall("pruneReservations") { _ = try await $0.pruneReservations(after: nil, retention: Samples.retention) },
        StatementCall("pruneReservations", with: ["id": .null]) { store in
            _ = try await store.pruneReservations(after: Samples.id, retention: Samples.retention)
        },
        StatementCall("pruneRequestNames") { _ = try await $0.pruneRequestNames() },
    ]

    private static func named(_ fingerprint: [UInt8]) -> NamedRequest {
        NamedRequest(caller: Samples.caller, key: Samples.requestKey, fingerprint: fingerprint)
    }
}
