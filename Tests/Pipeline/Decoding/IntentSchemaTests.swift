import Testing
import TidingsCore
import TidingsJSONSchema
import TidingsTestSupport

@testable import TidingsCatalogue
@testable import TidingsContracts
@testable import TidingsJSON
@testable import TidingsPipeline

/// Checks that the published schema of intents and the decoder agree, in both directions.
@Suite struct IntentSchemaTests {
    private static let decoder: Result<IntentDecoder, any Error> = Result { try IntentDecoder(catalogue: CompiledCatalogue(.builtIn)) }

    private func decode(_ json: JSON, contentType: String = "application/cloudevents+json") throws -> DecodedMessage {
        let message = IncomingMessage(body: json.serializedBytes, contentType: contentType)
        return try Self.decoder.get().decode(message, rights: .unrestricted, now: Sample.now)
    }

    @Test func everyPublishedSchemaCompiles() throws {
        for name in ["intent-event", "intent-batch", "pack", "catalogue", "webhook"] {
            #expect(throws: Never.self) { _ = try SchemaFiles.schema(name, with: name == "intent-batch" ? ["intent-event"] : []) }
            let id = try SchemaFiles.json("\(name).schema.json")["$id"]?.stringValue
            #expect(id == "urn:tidings:schema:\(name)")
        }
    }

    @Test func everyValidExampleIsValidAndDecodes() throws {
        let schema = try SchemaFiles.schema("intent-event")
        let examples = try SchemaFiles.examples("intent/valid")
        #expect(examples.count >= 4)
        for example in examples {
            let event = try SchemaFiles.json(example)
            #expect(schema.validate(event).isEmpty, "\(example)")
            let decoded = try decode(event)
            #expect(decoded.rejections.isEmpty && !decoded.intents.isEmpty, "\(example): \(decoded.rejections)")
        }
    }

    @Test func everyInvalidExampleIsRefusedForTheStatedReason() throws {
        let schema = try SchemaFiles.schema("intent-event")
        let examples = try SchemaFiles.examples("intent/invalid")
        #expect(examples.count >= 20)
        for example in examples {
            let file = try SchemaFiles.json(example)
            let event = try #require(file["event"], "\(example)")
            let rejection = try Sample.rejection(decode(event))
            #expect(rejection.reason.rawValue == file["reason"]?.stringValue, "\(example): \(rejection.message)")
            #expect(rejection.pointer == file["pointer"]?.stringValue, "\(example)")
            #expect(schema.isValid(event) != file["schemaRefuses"]?.boolValue, "\(example): \(schema.validate(event))")
        }
    }

    @Test func theBatchExampleIsValidAndDecodes() throws {
        let batch = try SchemaFiles.json("examples/intent-batch.json")
        let schema = try SchemaFiles.schema("intent-batch", with: ["intent-event"])
        #expect(schema.validate(batch).isEmpty)
        #expect(!schema.isValid([["specversion": "1.0"]]), "the definition of an event counts for each")
        #expect(try decode(batch, contentType: "application/cloudevents-batch+json").intents.count == 2)
        #expect(try SchemaFiles.json("intent-batch.schema.json")["maxItems"]?.intValue == IntentLimits().maximumEventsPerMessage)
    }

    @Test func schemaAndDecoderKnowTheSameMembersAndLimits() throws {
        let schema = try SchemaFiles.json("intent-event.schema.json")
        let members = try #require(schema["$defs"]?["request"]?["properties"]?.objectValue)
        #expect(Set(members.keys) == Set(IntentRequest.memberNames))
        let misplaced = IntentRequest.memberNames.filter { $0 != "data" }.map { $0.lowercased() }.sorted().joined(separator: "|")
        #expect(schema["patternProperties"]?["^(\(misplaced))$"]?["type"] == "null")
        let limits = IntentLimits()
        #expect(members["recipients"]?["maxItems"]?.intValue == limits.maximumRecipients)
        #expect(members["recipient"]?["maxLength"]?.intValue == limits.maximumRecipientBytes)
        #expect(members["groupKey"]?["maxLength"]?.intValue == limits.maximumKeyBytes)
        #expect(members["channels"]?["items"]?["enum"]?.arrayValue?.compactMap(\.stringValue) == Channel.allCases.map(\.rawValue))
        #expect(schema["properties"]?["id"]?["maxLength"]?.intValue == limits.maximumIDBytes)
        #expect(schema["properties"]?["source"]?["maxLength"]?.intValue == limits.maximumSourceBytes)
        #expect(schema["properties"]?["type"]?["maxLength"]?.intValue == CatalogueNames.longestType)
    }

    /// Attributes beside `data`, and whether they are valid. Schema and decoder must agree on each.
    static let attributes: [(String, JSON, Bool)] = [
        ("myext", "x", true), ("myext", 5, true), ("myext", true, true), ("myext", .null, true), ("myext", [], false),
        ("myext", [:], false), ("d", "x", true), ("da", 1, true), ("dat", "x", true), ("date", [1], false), ("dataset", "x", true),
        ("dataset", [], false), ("datb", "x", true), ("0", "x", true), ("MyExt", "x", false), ("my_ext", "x", false), ("", "x", false),
        ("tenant", "acme", false), ("tenant", .null, true), ("channels", ["push"], false), ("critical", true, false), ("title", "T", false),
        ("scheduledfor", "2026-06-01T13:00:00Z", false), ("scheduledFor", "2026-06-01T13:00:00Z", false), ("subject", [], false),
    ]

    @Test(arguments: attributes) func schemaAndDecoderAgreeOnEachAttribute(name: String, value: JSON, isValid: Bool) throws {
        var event = JSONObject()
        for (member, text) in [("specversion", "1.0"), ("id", "1"), ("source", "/s"), ("type", "orderUpdate")] {
            event[member] = .string(text)
        }
        event["data"] = ["recipient": "user-42", "title": "Hello"]
        event[name] = value
        #expect(try SchemaFiles.schema("intent-event").isValid(.object(event)) == isValid)
        #expect(try decode(.object(event)).rejections.isEmpty == isValid)
    }

    /// Values of single members, and whether they are valid. Schema and decoder must agree on each.
    static let memberValues: [(String, JSON, Bool)] = [
        ("title", "T", true), ("title", 1, false), ("body", "B", true), ("body", [], false), ("data", [:], true), ("data", "x", false),
        ("channels", ["push"], true), ("channels", [], false), ("channels", ["Push"], false), ("channels", "push", false),
        ("scheduledFor", "2026-06-01T13:00:00Z", true), ("scheduledFor", "2026-06-01", false), ("scheduledFor", 1, false),
        ("expiresAt", "2026-06-01T13:00:00+05:45", true), ("expiresAt", "2026-02-30T13:00:00Z", false), ("groupKey", "g", true),
        ("groupKey", .string(String(repeating: "g", count: 257)), false), ("collapseKey", 5, false), ("critical", true, true),
        ("critical", "true", false), ("market", "default", true), ("market", 1, false), ("tenant", "acme-1", true),
        ("tenant", "a.b", false),
        ("recipients", ["a"], false), ("nonsense", true, false),
        ("body", "", true), ("imageURL", "", true), ("imageURL", "http://example.com/a.png", false), ("groupKey", "", true),
        ("collapseKey", "", true), ("market", "", true), ("tenant", "", false), ("scheduledFor", "", false), ("expiresAt", "", false),
    ]

    @Test(arguments: memberValues) func schemaAndDecoderAgreeOnEachMember(member: String, value: JSON, isValid: Bool) throws {
        var data = JSONObject()
        data["recipient"] = "user-42"
        data["title"] = "Hello"
        data[member] = value
        let event: JSON = ["specversion": "1.0", "id": "1", "source": "/s", "type": "orderUpdate", "data": .object(data)]
        #expect(try SchemaFiles.schema("intent-event").isValid(event) == isValid)
        #expect(try decode(event).rejections.isEmpty == isValid)
    }
}
