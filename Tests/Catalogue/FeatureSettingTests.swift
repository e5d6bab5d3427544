import Testing
import TidingsCatalogue
import TidingsCore

/// Settings of modules in a catalogue file: those that the modules declare, and those of a module that this binary lacks.
@Suite struct FeatureSettingTests {
    private static let isOn = FeatureSetting("is_on", .flag(standard: true))
    private static let interval = FeatureSetting("interval_sec", .number(standard: 60, range: 1...86_400, unit: "seconds"))

    private static func file(_ features: String) -> String { "types:\n  a: {category: social}\n" + features }

    private static func judge(_ features: String) -> CatalogueJudgement {
        CatalogueFile.judge(yaml: file(features), features: [isOn, interval])
    }

    @Test(arguments: [
        ("", true, 60), ("features: {}", true, 60), ("features: {is_on: false}", false, 60), ("features: {interval_sec: 5}", true, 5),
    ]) func aSettingThatIsLeftOutHasItsStandardValue(features: String, isOn: Bool, seconds: Int) throws {
        let catalogue = try #require(Self.judge(features).catalogue)
        #expect(catalogue.features == ["is_on": .flag(isOn), "interval_sec": .number(seconds)])
        #expect(Self.isOn.isOn(in: catalogue) == isOn && Self.interval.number(in: catalogue) == seconds)
        #expect(try CatalogueFile.parse(yaml: CatalogueFile.print(catalogue)) == catalogue)
    }

    @Test(arguments: [
        ("{is_on: 1}", "features.is_on", "must be true or false"), ("{is_om: true}", "features.is_om", "did you mean \"is_on\"?"),
        ("{interval_sec: 0}", "features.interval_sec", "must be 1 to 86400 seconds"),
        ("{interval_sec: 10m}", "features.interval_sec", "whole number"), ("[is_on]", "features", "name: value"),
    ]) func aMistakeIsToldWithItsPlace(features: String, path: String, part: String) throws {
        let judged = Self.judge("features: \(features)")
        #expect(judged.catalogue == nil)
        let problem = try #require(judged.problems.first { $0.path == path }, "\(judged.problems)")
        #expect(problem.message.contains(part) && problem.line == 3, "\(problem)")
    }

    @Test func aBinaryWithoutTheModuleRefusesItsSettings() throws {
        let judged = CatalogueFile.judge(yaml: Self.file("features: {is_on: true}"))
        #expect(judged.problems.map(\.path) == ["features.is_on"])
        #expect(judged.problems[0].message.contains("is no setting of this binary"))
        #expect(CatalogueFile.judge(yaml: Self.file("")).catalogue?.features == [:])
    }

    /// A binary with the module has stored the catalogue. Its hash must stay what it was.
    @Test func aBinaryWithoutTheModuleReadsAStoredCatalogue() throws {
        let stored = try #require(Self.judge("features: {interval_sec: 5}").catalogue)
        let read = try CatalogueFile.parse(yaml: CatalogueFile.print(stored))
        #expect(read == stored && read.hash == stored.hash)
        var without = stored
        without.features = [:]
        let printed = CatalogueFile.print(CatalogueFile.sealed(without))
        #expect(!printed.contains("features:"))
        #expect(try CatalogueFile.parse(yaml: printed).features.isEmpty)
    }

    @Test func aStoredValueThatDoesNotFitCountsAsNone() {
        var catalogue = Catalogue.builtIn
        catalogue.features = ["is_on": .number(0), "interval_sec": .number(-1)]
        #expect(Self.isOn.isOn(in: catalogue) && Self.interval.number(in: catalogue) == 60)
        catalogue.features = ["interval_sec": .flag(true)]
        #expect(Self.interval.number(in: catalogue) == 60)
    }
}
