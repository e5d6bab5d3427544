import TidingsContracts
import TidingsCore

@testable import TidingsStore

/// Catalogues, and refused events with dead letters.
extension StatementCall {
    static let catalogues: [StatementCall] = [
        StatementCall("catalogues.activate") { _ = try await $0.catalogues.activate(Samples.smaller, by: Self.change, builtIn: .builtIn) },
        // The active catalogue is the first one of a program, and cannot be read.
        StatementCall("catalogues.activate", with: ["action": "start", "yaml": "types: ["]) { store in
            _ = try await store.catalogues.activate(Samples.smaller, by: Self.change, builtIn: .builtIn)
        },
        StatementCall("catalogues.lost") { _ = try await $0.catalogues.lost(by: Samples.smaller, builtIn: .builtIn) },
        StatementCall("catalogues.active") { _ = try await $0.catalogues.active() },
        StatementCall("catalogues.activeHash") { _ = try await $0.catalogues.activeHash() },
        StatementCall("catalogues.inForce") { _ = try await $0.catalogues.inForce() },
        StatementCall("catalogues.inForce", with: ["hash": .null, "id": .null]) { _ = try await $0.catalogues.inForce() },
        StatementCall("catalogues.keep") { try await $0.catalogues.keep(hash: "hash", yaml: "types: {}") },
        StatementCall("refresh") { try await CatalogueSource($0, builtIn: .builtIn).refresh() },
        StatementCall("catalogues.text") { _ = try await $0.catalogues.text(hash: "hash") },
        StatementCall("catalogues.history") { _ = try await $0.catalogues.history(limit: 10) },
        StatementCall("catalogues.processesWithout") { _ = try await $0.catalogues.processesWithout("hash") },
        StatementCall("catalogues.kept") { _ = try await $0.catalogues.kept(beginning: nil) },
        StatementCall("catalogues.kept") { _ = try await $0.catalogues.kept(beginning: "a") },
        StatementCall("catalogues.before") { _ = try await $0.catalogues.before() },
    ]

    private static let change = CatalogueChange(.apply, author: "me", reason: "r", mayRemove: true)

    static let refused: [StatementCall] = [letters, calls(about: .rejected), calls(about: .dead)].flatMap { $0 }

    /// A report with the bytes of a message.
    private static let keptBytes: [String: MadeUpValue] = ["row_to_json": #"{"raw_base64":"e30="}"#]

    private static let letters: [StatementCall] = [
        StatementCall("refused.keepDead") { store in
            let message = DeadMessage(
                queue: "q", reason: .poison, message: "m", deaths: 1, exchange: "e", routingKey: "k", contentType: "c", headers: "{}",
                attributes: [HeaderAttribute(name: "n", value: "v")], body: Samples.event, producer: "u")
            _ = try await store.refused.keepDead(message, state: "trying")
        },
        StatementCall("refused.moveDead") { _ = try await $0.refused.moveDead(1, from: ["open"], to: "resolved") },
        StatementCall("refused.keepUndecodable") { try await $0.refused.keepUndecodable(1, because: "no pack") },
        StatementCall("refused.dead") { _ = try await $0.refused.dead(state: "open", reason: nil, limit: 10) },
        StatementCall("refused.dead", with: keptBytes) { _ = try await $0.refused.dead(1) },
        StatementCall("refused.rejected") { _ = try await $0.refused.rejected(state: nil, reason: "unknownType", limit: 10) },
        StatementCall("refused.rejected", with: keptBytes) { _ = try await $0.refused.rejected(1) },
        StatementCall("refused.rejections") { _ = try await $0.refused.rejections([1]) },
        StatementCall("upkeep.refusedFigures") { _ = try await $0.upkeep.refusedFigures() },
    ]

    private static func calls(about table: RefusedTable) -> [StatementCall] {
        [
            StatementCall("refused.last") { _ = try await $0.refused.last(in: table) },
            StatementCall("refused.page") { _ = try await $0.refused.page(in: table, RefusedFilter(), after: 0, upTo: 100) },
            StatementCall("refused.page") { store in
                var filter = RefusedFilter()
                filter.ids = [1]
                filter.reason = "unknownType"
                filter.since = Samples.now
                filter.tenant = "t"
                filter.queue = "q"
                _ = try await store.refused.page(in: table, filter, after: 0, upTo: 100)
            },
            StatementCall("refused.page", with: ["max": .null]) { store in
                _ = try await store.refused.page(in: table, RefusedFilter(), after: 0, upTo: 100)
            },
            StatementCall("refused.kept") { _ = try await $0.refused.kept(1, in: table) },
            StatementCall("refused.markReplayed") { store in
                let message = KeptMessage(
                    id: 1, exchange: "e", routingKey: "k", contentType: nil, body: [], headers: "{}", producer: nil, version: "v")
                _ = try await store.refused.markReplayed([message], in: table)
            },
            StatementCall("refused.discard") { _ = try await $0.refused.discard([1], in: table) },
            StatementCall("upkeep.pruneRefused") { _ = try await $0.upkeep.pruneRefused(table, retention: Samples.retention) },
        ]
    }
}
