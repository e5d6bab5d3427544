import Testing
import TidingsCore
import TidingsModules
import TidingsPostgres
import TidingsStore

/// The names of two modules in one binary. One of two things with the same name would be without effect.
@Suite struct ModuleNameTests {
    /// The other tests of this suite change one name of this list each.
    @Test func aBinaryWithModulesOfOtherNamesStarts() async throws {
        let modules = Modules([NamedModule("one"), NamedModule("other")])
        #expect(modules.features.map(\.name) == ["one", "other"] && modules.schemaParts.flatMap(\.tableNames) == ["one", "other"])
        let store = try Store.unused()
        #expect(modules.topics(over: store).map { $0.name } == ["one", "other"])
        await store.close()
    }

    @Test func aBinaryWithTwoTypesOfOneNameDoesNotStart() async throws {
        await #expect(processExitsWith: .failure) { _ = Modules([NamedModule("one"), NamedModule("other", type: "one")]) }
        #expect(Catalogue.builtIn.types["orderUpdate"] != nil)
        await #expect(processExitsWith: .failure) { _ = Modules([NamedModule("one", type: "orderUpdate")]) }
    }

    @Test func aBinaryWithTwoSettingsOfOneNameDoesNotStart() async {
        await #expect(processExitsWith: .failure) { _ = Modules([NamedModule("one"), NamedModule("other", feature: "one")]) }
    }

    @Test func aBinaryWithTwoTablesOfOneNameDoesNotStart() async {
        await #expect(processExitsWith: .failure) { _ = Modules([NamedModule("one"), NamedModule("other", table: "one")]) }
        await #expect(processExitsWith: .failure) { _ = Modules([NamedModule("one", table: "inbox")]) }
    }

    @Test func aBinaryWithTwoTopicsOfOneNameDoesNotStart() async {
        await #expect(processExitsWith: .failure) {
            let store = try Store.unused()
            _ = Modules([NamedModule("one"), NamedModule("other", topic: "one")]).topics(over: store)
        }
    }
}

extension Store {
    /// A store that never connects.
    fileprivate static func unused() throws -> Store {
        Store(try PostgresConfiguration(url: "postgres://nobody@127.0.0.1:1/none"), size: 1, name: "unused")
    }
}

/// A module whose things have its own name, unless the test says otherwise.
private struct NamedModule: Module, Projection {
    let name: String
    let types: [NotificationType]
    let features: [FeatureSetting]
    let schema: SchemaPart
    private let topic: String

    init(_ name: String, type: String? = nil, feature: String? = nil, table: String? = nil, topic: String? = nil) {
        self.name = name
        self.topic = topic ?? name
        types = [NotificationType(name: type ?? name, category: .social)]
        features = [FeatureSetting(feature ?? name, .flag(standard: true))]
        schema = SchemaPart(of: name, sql: "", tables: [.init(table ?? name, seenBy: "recipient_id")], rights: [])
    }

    var projection: any Projection { self }

    func statements(for intents: [ProjectedIntent]) -> [SQL] { [] }

    func topics(over store: Store) -> [any StreamTopic] { [NamedTopic(name: topic)] }
}

/// A topic without news.
private struct NamedTopic: StreamTopic {
    let name: String

    func news(since marks: [TopicMark]) async throws -> [TopicNews] { marks.map { TopicNews(count: 0, mark: $0) } }

    func news(since mark: TopicMark) async throws -> TopicNews { TopicNews(count: 0, mark: mark) }

    func people(withNewsSince marks: [TopicMark]) async throws -> [RecipientKey] { [] }
}
