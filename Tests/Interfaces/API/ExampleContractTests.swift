import Testing
import TidingsJSON
import TidingsJSONSchema
import TidingsTestSupport

/// Every schema of the OpenAPI document is one, and every example fits its schema.
@Suite struct ExampleContractTests {
    private let document: OpenAPIDocument

    init() throws { document = try .standard() }

    @Test func everyExampleFitsItsSchema() throws {
        var checked = 0
        try document.root.visit { place, value in
            guard value.objectValue != nil, let schema = value["schema"] else { return }
            // An invalid schema throws here.
            let compiled = try document.schema(schema)
            for example in try document.examples(in: value) {
                checked += 1
                let faults = compiled.validate(example)
                #expect(faults.isEmpty, "\(place): \(faults)")
            }
        }
        #expect(checked > 40)
    }

    /// `examples` of a schema are annotations of JSON Schema.
    @Test func everyExampleInASchemaFits() throws {
        try document.root.visit { place, value in
            guard let examples = value["examples"]?.arrayValue else { return }
            let schema = try document.schema(value)
            for example in examples { #expect(schema.isValid(example), "\(place): \(example)") }
        }
    }

    @Test func everyEventOfTheExampleStreamFits() throws {
        let stream = document.operations.first { $0.id == "streamNotifications" }?.responses[200]?["content"]?["text/event-stream"]
        let text = try #require(stream?["example"]?.stringValue)
        let events = text.split(separator: "\n\n").map { $0.split(separator: "\n") }
        #expect(events.count == 2)
        for event in events {
            func value(_ name: String) -> String? { event.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) } }
            let data = try JSON.parse(#require(value("data: ")))
            #expect(try document.faults(ofEvent: #require(value("event: ")), data: data).isEmpty)
        }
    }

    @Test func everyReferenceLeadsSomewhere() throws {
        try document.root.visit { _, value in _ = try document.follow(value) }
    }

    /// A part that nothing refers to is a leftover.
    @Test func everyComponentIsUsed() throws {
        var used: Set<String> = []
        document.root.visit { place, value in
            if let reference = value["$ref"]?.stringValue { used.insert(reference) }
            if place.hasSuffix("/x-events") { used.formUnion((value.objectValue?.entries ?? []).compactMap(\.value.stringValue)) }
        }
        for kind in document.root["components"]?.objectValue?.entries ?? [] where kind.key != "securitySchemes" {
            for name in kind.value.objectValue?.keys ?? [] {
                #expect(used.contains("#/components/\(kind.key)/\(name)"), "\(kind.key)/\(name)")
            }
        }
    }
}

extension OpenAPIDocument {
    /// The values of `example` and `examples` beside a schema.
    func examples(in value: JSON) throws -> [JSON] {
        var examples = value["example"].map { [$0] } ?? []
        for entry in value["examples"]?.objectValue?.entries ?? [] {
            guard let example = try follow(entry.value)["value"] else { continue }
            examples.append(example)
        }
        return examples
    }
}

extension JSON {
    /// Calls `body` with every value inside this one, and with its JSON Pointer.
    func visit(_ place: String = "", _ body: (_ place: String, _ value: JSON) throws -> Void) rethrows {
        try body(place, self)
        for entry in objectValue?.entries ?? [] { try entry.value.visit(JSONPointer.appending(entry.key, to: place), body) }
        for (index, element) in (arrayValue ?? []).enumerated() { try element.visit("\(place)/\(index)", body) }
    }
}
