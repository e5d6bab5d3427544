import Testing
import TidingsJSON
import TidingsStore
import TidingsTestSupport

/// The lists about a person that a backend reads, compared with the document.
@Suite struct PersonListTests {
    @Test(arguments: PersonList.all) func theDocumentDescribesTheList(_ list: PersonList) throws {
        let document = try OpenAPIDocument.standard()
        let described = document.operations.first { $0.id == list.operation }
        let operation = try #require(described, "\(list.operation)")
        #expect(operation.method == "GET" && operation.path == "/v1/recipients/{recipient}/\(list.name)")
        #expect(operation.body["x-scope"] == "recipients:read")
        let answer = try #require(operation.responses[200]?["content"]?["application/json"]?["schema"])
        #expect(answer["required"]?.arrayValue == [JSON.string(list.name)])
        #expect(answer["properties"]?.objectValue?.keys == [list.name])
        let element = try document.follow(try #require(answer["properties"]?[list.name]?["items"]))
        #expect(element["properties"]?.objectValue?.keys == list.members, "\(list.name)")
    }

    @Test func eachListHasItsOwnName() {
        for names in [PersonList.all.map(\.name), PersonList.all.map(\.operation)] { #expect(Set(names).count == names.count) }
    }
}
