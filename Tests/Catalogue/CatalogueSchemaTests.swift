import Testing
import TidingsCore
import TidingsJSONSchema
import TidingsTestSupport

@testable import TidingsCatalogue
@testable import TidingsJSON

/// Checks that the published schema of the catalogue file and its reader agree, in both directions.
@Suite struct CatalogueSchemaTests {
    @Test(arguments: [Catalogue.builtIn, .everySetting]) func aPrintedCatalogueIsValid(catalogue: Catalogue) throws {
        let file = try YAMLDocument.json(CatalogueFile.print(catalogue))
        let violations = try SchemaFiles.schema("catalogue").validate(file)
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func schemaAndReaderKnowTheSameKeys() throws {
        let schema = try SchemaFiles.json("catalogue.schema.json")
        func keys(_ json: JSON?) -> Set<String> { Set(json?["properties"]?.objectValue?.keys ?? []) }
        #expect(keys(schema) == Set(CatalogueReader.sections))
        #expect(keys(schema["$defs"]?["type"]) == Set(CatalogueReader.typeKeys))
        #expect(keys(schema["$defs"]?["policy"]) == Set(CatalogueReader.categoryKeys))
        #expect(keys(schema["$defs"]?["policy"]?["properties"]?["retry"]) == Set(CatalogueReader.retryKeys))
        #expect(keys(schema["$defs"]?["provider"]) == Set(CatalogueReader.providerKeys))
        #expect(keys(schema["$defs"]?["carriers"]?["anyOf"]?.arrayValue?.last) == Set(CatalogueReader.carrierKeys))
        let producer = schema["properties"]?["producers"]?["additionalProperties"]
        #expect(keys(producer?["anyOf"]?.arrayValue?.last) == Set(CatalogueReader.producerKeys))
        #expect(keys(schema["properties"]?["categories"]) == Set(Category.allCases.map(\.rawValue)))
    }

    /// Files that the reader refuses for their form alone. The schema must refuse them too.
    @Test(arguments: [
        "types:\n  a: {category: social, chanels: [push]}", "types:\n  a: {category: socal}", "types:\n  a: {title: x}",
        "types:\n  a: {category: social, channels: []}", "types:\n  a: {category: social, expiry: 60}", "types: {}",
        "types:\n  a: {category: social, mandatory: yes}", "types:\n  9a: {category: social}",
        "types:\n  a: {category: social}\nproviders: {a.b: {channel: sms, kind: x}}",
        "types:\n  a: {category: social}\nproducers: {shop: {tenants: [a], source: [\"/shop\"]}}",
        "types:\n  a: {category: social}\nproducers: {shop: {sources: [\"/shop\"]}}",
        "types:\n  a: {category: social}\nproducers: {shop: {tenants: [a], sources: []}}",
        "types:\n  a: {category: social, projection: a b}", "types:\n  a: {category: social}\nfeatures: {is_blur_enabled: maybe}",
        "types:\n  a: {category: social}\nmarkets: {us: {inApp: {strategy: first}}}",
        "types:\n  a: {category: social}\nmarkets: {us: {inApp: {providers: [inbox], strategy: frist}}}",
        "types:\n  a: {category: social}\nmarkets: {us: {inApp: {providers: [inbox], strategy: weighted, weights: {inbox: 0}}}}",
    ]) func theReaderRefusesEveryFileThatTheSchemaRefuses(yaml: String) throws {
        #expect(throws: CatalogueProblems.self) { try CatalogueFile.parse(yaml: yaml) }
        #expect(try !SchemaFiles.schema("catalogue").isValid(YAMLDocument.json(yaml)))
    }
}
