import Testing
import TidingsCatalogue
import TidingsCore
import TidingsJSON
import TidingsJSONSchema
import TidingsModules
import TidingsTestSupport

@testable import TidingsLikes

/// The settings of likes in the catalogue: those of the published schema, with its bounds.
@Suite struct LikeSettingsTests {
    private static func file(_ features: String) -> String { "types:\n  a: {category: social}\nfeatures: \(features)" }

    @Test func schemaAndModuleKnowTheSameSettings() throws {
        let schema = try SchemaFiles.json("catalogue.schema.json")["properties"]?["features"]
        #expect(Set(schema?["properties"]?.objectValue?.keys ?? []) == Set(LikesModule().features.map(\.name)))
    }

    @Test(arguments: [
        ("{is_blur_enabled: 1}", "features.is_blur_enabled", "must be true or false"),
        ("{blur: true}", "features.blur", "unknown key"),
        ("{refresh_interval_sec: 0}", "features.refresh_interval_sec", "must be 1 to 86400 seconds"),
        ("{unblur_duration_sec: 86401}", "features.unblur_duration_sec", "must be 1 to 86400 seconds"),
        ("{unblur_duration_sec: 10m}", "features.unblur_duration_sec", "whole number"),
    ]) func catalogueAndSchemaRefuseAMistake(features: String, path: String, part: String) throws {
        let judged = CatalogueFile.judge(yaml: Self.file(features), features: LikesModule().features)
        #expect(judged.problems.map(\.path) == [path] && judged.problems.allSatisfy { $0.message.contains(part) }, "\(judged.problems)")
        #expect(try !SchemaFiles.schema("catalogue").isValid(YAMLDocument.json(Self.file(features))))
    }

    @Test func aPrintedCatalogueIsValid() throws {
        let features = "{is_blur_enabled: false, refresh_interval_sec: 5, unblur_duration_sec: 86400}"
        let catalogue = try #require(CatalogueFile.judge(yaml: Self.file(features), features: LikesModule().features).catalogue)
        #expect(!FeatureSetting.isBlurEnabled.isOn(in: catalogue) && FeatureSetting.likesRefreshInterval.number(in: catalogue) == 5)
        #expect(FeatureSetting.unblurDuration.number(in: catalogue) == 86_400)
        #expect(try SchemaFiles.schema("catalogue").isValid(YAMLDocument.json(CatalogueFile.print(catalogue))))
    }

    /// Databases store this catalogue under its hash, so another order or other words of a comment would make another catalogue of it.
    @Test func theBuiltInCatalogueHasTheHashThatDatabasesStore() {
        let catalogue = Modules([LikesModule()]).builtInCatalogue
        #expect(CatalogueFile.sealed(catalogue).hash == "4692be7a5772702e871bb6364e00acad41e35a16ab9d357ee0b8fc253c7f2b41")
    }
}
