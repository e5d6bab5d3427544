import Testing
import TidingsContracts
import TidingsModules
import TidingsPostgres
import TidingsServer
import TidingsStore

/// The topics of this binary. Streams, signals and the intake know a topic by its name alone.
@Suite struct TopicNameTests {
    @Test func aTopicHasANameOfItsOwnThatASignalCanCarry() async throws {
        let store = Store(try PostgresConfiguration(url: "postgres://nobody@127.0.0.1:1/none"), size: 1, name: "unused")
        let names = Modules(Modules.builtIn).topics(over: store).map { $0.name }
        await store.close()
        #expect(Set(names).count == names.count, "\(names)")
        for name in names {
            #expect(InboxSignal.Kind(rawValue: name) != nil, "\(name) is no kind of signal")
            #expect(!["inbox", "bye"].contains(name), "streams have the event \(name) already")
        }
    }
}
