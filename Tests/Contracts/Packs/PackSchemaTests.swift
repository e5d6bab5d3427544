import Testing
import TidingsCore
import TidingsJSONSchema
import TidingsTestSupport

@testable import TidingsContracts
@testable import TidingsJSON

/// Checks that the published schema of packs and the coding agree, in both directions.
@Suite struct PackSchemaTests {
    @Test func anEncodedPackIsValid() throws {
        let schema = try SchemaFiles.schema("pack")
        let violations = schema.validate(try JSON.parse(Pack.sample().encode()))
        #expect(violations.isEmpty, "\(violations)")
        #expect(!schema.isValid(try JSON.parse(Pack.sample([]).encode())), "an empty pack is none")
    }

    @Test func theExampleDecodes() throws {
        let example = try SchemaFiles.json("examples/pack.json")
        #expect(try SchemaFiles.schema("pack").validate(example).isEmpty)
        let pack = try Pack.decode(example.serializedBytes)
        #expect(pack.entries.first?.recipient == "user-42")
        #expect(try JSON.parse(pack.encode()) == example)
    }

    @Test func schemaAndCodingKnowTheSameMembers() throws {
        let schema = try SchemaFiles.json("pack.schema.json")
        let full = try JSON.parse(Pack.sample([.sample(1)]).encode())
        let bare = try JSON.parse(Pack.sample([.bare(1)]).encode())
        func entry(_ pack: JSON) -> Set<String> { Set(pack["entries"]?.arrayValue?.first?.objectValue?.keys ?? []) }
        #expect(Set(schema["properties"]?.objectValue?.keys ?? []) == Set(full.objectValue?.keys ?? []))
        let entrySchema = try #require(schema["$defs"]?["entry"])
        #expect(Set(entrySchema["properties"]?.objectValue?.keys ?? []) == entry(full))
        #expect(Set(entrySchema["required"]?.arrayValue?.compactMap(\.stringValue) ?? []) == entry(bare))
        #expect(schema["properties"]?["entries"]?["maxItems"]?.intValue == Pack.maximumEntries)
    }

    @Test func theWebhookExampleIsValid() throws {
        let violations = try SchemaFiles.schema("webhook").validate(SchemaFiles.json("examples/webhook.json"))
        #expect(violations.isEmpty, "\(violations)")
    }
}
