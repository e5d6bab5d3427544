import Testing
import TidingsCore
import TidingsLikes
import TidingsModules
import TidingsPostgres
import TidingsStore

/// The module of the likes in the list of a binary.
@Suite struct LikesModuleTests {
    @Test func aProjectionOfABinaryStandsBesideThatOfAModule() {
        let modules = Modules([LikesModule()], projections: [OwnProjection(name: "orders")])
        #expect(modules.projections.names == ["likes", "orders"])
    }

    /// One of the two would get no intents.
    @Test func aBinaryWithTwoProjectionsOfOneNameDoesNotStart() async {
        await #expect(processExitsWith: .failure) {
            _ = Modules([LikesModule()], projections: [OwnProjection(name: "likes")])
        }
        await #expect(processExitsWith: .failure) {
            _ = Modules([LikesModule(), LikesModule()])
        }
    }
}

/// A projection of a binary of your own.
private struct OwnProjection: Projection {
    let name: String

    func statements(for intents: [ProjectedIntent]) -> [SQL] { [] }
}
