import Testing
import TidingsCatalogue
import TidingsCore

@Suite struct BreakingChangesTests {
    private static let schema = """
        {"type": "object", "required": ["number"], "properties": {
          "number": {"type": "string", "maxLength": 20}, "amount": {"type": ["integer", "string"]}, "kind": {"enum": ["a", "b"]},
          "parcel": {"type": "object", "properties": {"size": {"type": "number"}}}}}
        """

    private static func changes(from old: String?, to new: String?) -> BreakingChanges {
        var (before, after) = (Catalogue.builtIn, Catalogue.builtIn)
        before.types["parcel"] = NotificationType(name: "parcel", category: .transactional, schemaJSON: old)
        after.types["parcel"] = NotificationType(name: "parcel", category: .transactional, schemaJSON: new)
        return BreakingChanges(from: before, to: after)
    }

    /// A text of the schema, its replacement, and the report of the breaking change.
    @Test(arguments: [
        (#""required": ["number"]"#, #""required": ["number", "amount"]"#, "data.amount: is required now"),
        (#"["integer", "string"]"#, #""string""#, "data.amount: was integer or string, is string"),
        (#"{"type": "number"}"#, #"{"type": "integer"}"#, "data.parcel.size: was number, is integer"),
        (#"["a", "b"]"#, #"["a"]"#, #"data.kind: "b" is no value any more"#),
        (#""maxLength": 20"#, #""maxLength": 10"#, "data.number: maxLength 20 → 10"),
        (#""maxLength": 20"#, #""pattern": "^P""#, #"data.number: pattern none → "^P""#),
        (#""kind": {"enum": ["a", "b"]},"#, #""kind": {"enum": ["a", "b"], "minLength": 2},"#, "data.kind: minLength none → 2"),
        (
            #"{"type": "object", "required""#, #"{"additionalProperties": false, "type": "object", "required""#,
            "data: members that the schema does not name are not allowed any more"
        ),
    ])
    func aNarrowerSchemaBreaks(old: String, new: String, sentence: String) {
        let changed = Self.schema.replacing(old, with: new)
        #expect(changed != Self.schema)
        #expect(Self.changes(from: Self.schema, to: changed).sentences == ["type parcel: \(sentence)"])
    }

    @Test(arguments: [
        (#""required": ["number"],"#, ""), (#"["integer", "string"]"#, #"["number", "string"]"#),
        (#""maxLength": 20"#, #""maxLength": 30"#),
        (#""maxLength": 20"#, #""description": "its number""#), (#"["a", "b"]"#, #"["c", "b", "a"]"#),
        (#""kind": {"enum": ["a", "b"]},"#, ""),
    ])
    func aWiderSchemaDoesNot(old: String, new: String) {
        let changed = Self.schema.replacing(old, with: new)
        #expect(changed != Self.schema)
        let changes = Self.changes(from: Self.schema, to: changed)
        #expect(changes.sentences.isEmpty && changes.unclear.isEmpty, "\(changes)")
    }

    @Test func aSchemaThatComesOrGoes() {
        #expect(Self.changes(from: Self.schema, to: nil).sentences.isEmpty)
        let first = Self.changes(from: nil, to: #"{"required": ["number"], "oneOf": [{}]}"#)
        #expect(first.sentences == ["type parcel: data.number: is required now"] && first.unclear == ["type parcel: data: oneOf is new"])
    }

    @Test func aRemovedEntryIsABreakingChange() {
        let old = Catalogue.builtIn
        var new = old
        new.types["social"] = nil
        new.types["orderUpdate"]?.allowsCritical = false
        new.types["another"] = NotificationType(name: "another", category: .social)
        new.providers["webhook"] = nil
        new.markets["default"]?.providers[.webhook] = nil
        new.producers = ["shop": ProducerEntry(tenants: ["acme"])]
        #expect(
            BreakingChanges(from: old, to: new).sentences == [
                "type orderUpdate: critical is not allowed any more", "type social: is gone; its intents are refused as unknownType",
                "market default: no provider carries webhook any more", "provider webhook: is gone or changes its channel",
                "producers: a user that is not listed may only name the tenant default",
            ])
        #expect(BreakingChanges(from: new, to: new).sentences.isEmpty)
        var narrower = new
        narrower.producers["shop"] = ProducerEntry(tenants: [])
        #expect(BreakingChanges(from: new, to: narrower).sentences == ["producer shop: may not name tenant acme any more"])
    }
}
