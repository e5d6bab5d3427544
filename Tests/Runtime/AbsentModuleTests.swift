import Testing
import TidingsCatalogue
import TidingsStore

@testable import TidingsCommands

/// A catalogue for a module that the binary lacks. An operator learns it before the catalogue is active.
@Suite struct AbsentModuleTests {
    @Test func aTypeOfAnAbsentModuleIsRefused() throws {
        let judged = CatalogueFile.judge(yaml: "types:\n  visit: {category: social, projection: visits}")
        let readable = try #require(judged.readable)
        let problems = judged.problems(with: Projections().problems(of: readable))
        #expect(problems.map(\.path) == ["types.visit.projection"] && problems.first?.line == 2)
        #expect(problems.first?.message == "projection \"visits\" is not part of this binary (it has none)")
    }

    @Test func aSettingOfAnAbsentModuleIsRefused() throws {
        let judged = CatalogueFile.judge(yaml: "types:\n  a: {category: social}\nfeatures: {visits_shown: 10}")
        #expect(judged.catalogue == nil && judged.problems.map(\.path) == ["features.visits_shown"])
        #expect(judged.problems.first?.message == "is no setting of this binary: none of its modules has a setting")
    }
}
