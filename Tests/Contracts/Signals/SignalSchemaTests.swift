import Testing
import TidingsCore
import TidingsJSONSchema
import TidingsTestSupport

@testable import TidingsContracts
@testable import TidingsJSON

/// Checks that the published schema of signals and the coding agree, in both directions.
@Suite struct SignalSchemaTests {
    @Test func anEncodedSignalIsValid() throws {
        let schema = try SchemaFiles.schema("inbox-signal")
        for people in [InboxSignal.sample.people, InboxSignal.people(InboxSignal.maximumPeople)] {
            for message in InboxSignal.messages(for: people) {
                let violations = schema.validate(try JSON.parse(message))
                #expect(violations.isEmpty, "\(violations)")
            }
        }
    }

    @Test func theExampleIsWhatIsWritten() throws {
        let example = try SchemaFiles.json("examples/inbox-signal.json")
        #expect(try SchemaFiles.schema("inbox-signal").validate(example).isEmpty)
        #expect(try InboxSignal.decode(example.serializedBytes) == .sample)
        #expect(try InboxSignal.messages(for: InboxSignal.sample.people).map { try JSON.parse($0) } == [example])
    }

    /// Each damage of the tests for decoding is a damage by the schema too.
    @Test(arguments: SignalCodingTests.damages) func aRefusedSignalIsInvalid(from: String, to: String, pointer: String) throws {
        let example = try SchemaFiles.json("examples/inbox-signal.json").serialized
            .replacing(#""tenant":"default","recipient":"ann""#, with: #""tenant":"t","recipient":"r""#)
        let damaged = example.replacing(from, with: to)
        #expect(damaged != example, "the test damages nothing: \(from)")
        #expect(try !SchemaFiles.schema("inbox-signal").isValid(JSON.parse(damaged)))
        #expect(throws: SignalDecodingError.self) { try InboxSignal.decode(Array(damaged.utf8)) }
    }

    @Test func schemaAndCodingKnowTheSameMembersAndLimits() throws {
        let schema = try SchemaFiles.json("inbox-signal.schema.json")
        let written = try JSON.parse(try #require(InboxSignal.messages(for: InboxSignal.sample.people).first))
        func names(_ value: JSON?) -> Set<String> { Set(value?.objectValue?.keys ?? []) }
        func required(_ value: JSON?) -> Set<String> { Set(value?["required"]?.arrayValue?.compactMap(\.stringValue) ?? []) }
        #expect(names(schema["properties"]) == names(written) && required(schema) == names(written))
        let person = try #require(schema["$defs"]?["person"])
        let writtenPerson = written["people"]?.arrayValue?.first
        #expect(names(person["properties"]) == names(writtenPerson) && required(person) == names(writtenPerson))
        #expect(schema["properties"]?["v"]?["const"]?.intValue == InboxSignal.version)
        #expect(schema["properties"]?["people"]?["maxItems"]?.intValue == InboxSignal.maximumPeople)
        #expect(schema["$defs"]?["ids"]?["maxItems"]?.intValue == InboxSignal.maximumIDs)
        for name in ["tenant", "recipient"] {
            #expect(person["properties"]?[name]?["maxLength"]?.intValue == InboxSignal.maximumNameBytes)
        }
        let kind = try JSONSchema(try #require(person["properties"]?["kind"]))
        let longest = "a" + String(repeating: "z", count: InboxSignal.Kind.maximumBytes - 1)
        for name in ["inbox", "likes", "a", "a-1_b", longest, longest + "z", "", "A", "1a", "-a", "a b", "\u{e9}"] {
            #expect(kind.isValid(.string(name)) == (InboxSignal.Kind(rawValue: name) != nil), "\(name)")
        }
    }
}
