import TidingsCore
import TidingsPostgres

@testable import TidingsStore

/// Erased people, the steps of an erasure, and the export of a person.
extension StatementCall {
    static let erasure: [StatementCall] = [requests, steps, stepsWithOtherRows].flatMap { $0 }

    private static let requests: [StatementCall] = [
        StatementCall("erasures.request") { _ = try await $0.erasures.request(of: Samples.person, by: "me") },
        StatementCall("erasures.row") { _ = try await $0.erasures.row(Samples.id, tenant: nil) },
        StatementCall("erasures.row") { _ = try await $0.erasures.row(Samples.id, tenant: "t") },
        StatementCall("erasures.list") { _ = try await $0.erasures.list(limit: 10) },
        StatementCall("erasures.isErased") { _ = try await $0.erasures.isErased(Samples.person) },
        StatementCall("erasures.readmit") { _ = try await $0.erasures.readmit(Samples.person, by: "me") },
        StatementCall("erasures.prune") { _ = try await $0.erasures.prune(retention: Samples.retention) },
        StatementCall("erasures.postpone") { try await $0.erasures.postpone(Samples.id, by: .seconds(1)) },
        StatementCall("erasures.forgetErased") { try await $0.erasures.forgetErased(inDead: 1) },
        StatementCall("erasures.forgetErased", with: ["raw": .bytes(Samples.eventForTwo), "listed": .texts(["q"])]) { store in
            try await store.erasures.forgetErased(inDead: 1)
        },
        StatementCall("next") { store in
            var export = PersonalExport(of: Samples.person, from: store, projections: Projections())
            while try await export.next() != nil {}
        },
    ]

    private static let steps: [StatementCall] = ErasureStep.allCases.map { Self.step($0) }

    private static let stepsWithOtherRows: [StatementCall] = [
        // The notification is of somebody else, and tells of the person.
        step(.notifications, with: ["recipient_id": .first("p", then: "q")]),
        step(.enqueued, with: ["id": .first(.standard, then: .null)]),
        // The step has found everybody who is listed, and walks along the rest.
        step(.refused, with: ["position": "7"]),
        // The event is for somebody else too.
        step(.refused, with: ["raw": .bytes(Samples.eventForTwo), "listed": .texts(["p", "q"])]),
        step(.dead, with: ["raw": .bytes(Samples.eventForTwo), "listed": .texts(["q"])]),
        StatementCall("erasures.advance", with: ["step": "dead"]) { store in
            try await store.pool.transaction { transaction in
                guard let row = try await transaction.query(RunningErasure.pick).rows.first else { return }
                var erasure = try RunningErasure(row)
                try await transaction.pipeline(erasure.statements(after: RunningErasure.Outcome(then: .next)))
            }
        },
    ]

    private static func step(_ step: ErasureStep, with values: [String: MadeUpValue] = [:]) -> StatementCall {
        var values = values
        values["step"] = .text(step.rawValue)
        return StatementCall("erasures.advance", with: values) { _ = try await $0.erasures.advance(Projections([SampleModule()])) }
    }
}
