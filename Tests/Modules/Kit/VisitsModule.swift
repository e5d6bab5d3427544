import TidingsCore
import TidingsModules
import TidingsPostgres
import TidingsStore

/// The smallest module with a table of its own: the people who have looked at a profile.
struct VisitsModule: Module, Projection {
    let name = "visits"
    let types = [NotificationType(name: "visit", category: .social, projection: "visits")]
    let schema = SchemaPart(
        of: "visits", sql: "create table tidings.visits (tenant text, recipient_id text, visitor text);",
        tables: [.init("visits", seenBy: "recipient_id")], rights: [.init(.app, .select, on: "visits")])
    var projection: any Projection { self }

    func statements(for intents: [ProjectedIntent]) -> [SQL] {
        intents.map { "insert into tidings.visits values (\($0.intent.tenant), \($0.intent.recipient), \($0.intent.source))" }
    }
}
