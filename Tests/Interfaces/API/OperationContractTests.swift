import HTTPTypes
import Testing
import TidingsJSON
import TidingsStore
import TidingsTestSupport
import TidingsWeb

@testable import TidingsAPI

/// The operations of the OpenAPI document and those of the code are the same, in both directions.
@Suite struct OperationContractTests {
    private let document: OpenAPIDocument

    init() throws { document = try .standard() }

    /// Method, path, id and access of an operation, as one text.
    private static func line(_ method: String, _ path: String, _ id: String, _ access: String) -> String {
        "\(method) \(path) is \(id), for \(access)"
    }

    @Test func theCodeHasEveryOperationOfTheDocumentAndNoOther() async throws {
        let inCode = try await apiOperations().map { operation in
            let access =
                switch operation.access {
                case .open: "everybody"
                case .person: "people"
                case .key(let scope): "keys with \(scope.rawValue)"
                }
            return Self.line(operation.method.rawValue, operation.path, operation.name, access)
        }
        let inDocument = document.operations.map { Self.line($0.method, $0.path, $0.id, Self.access(of: $0)) }
        #expect(Set(inCode).subtracting(inDocument).isEmpty, "only in the code")
        #expect(Set(inDocument).subtracting(inCode).isEmpty, "only in the document")
        #expect(inCode.count == Set(inCode).count)
    }

    /// A change refuses the parameters and bodies that its operation does not read, so the lists of the code must be those of the document.
    @Test func theCodeReadsTheQueriesAndBodiesOfTheDocument() async throws {
        for operation in try await apiOperations() {
            let described = try #require(document.operations.first { $0.id == operation.name }, "\(operation.name)")
            #expect(Set(operation.query) == Set(Self.query(of: described)), "\(operation.name)")
            #expect(operation.hasBody == (described.body["requestBody"] != nil), "\(operation.name)")
        }
    }

    /// A member that is not listed is refused, so that no change is left out in silence. Callbacks have the form of their providers.
    @Test func everyBodyIsClosed() throws {
        var checked = 0
        for operation in document.operations where operation.id != "receiveCallback" {
            guard let body = operation.body["requestBody"] else { continue }
            for media in try document.follow(body)["content"]?.objectValue?.entries ?? [] {
                let schema = try document.follow(#require(media.value["schema"]))
                for alternative in schema["anyOf"]?.arrayValue ?? [schema] {
                    var object = try document.follow(alternative)
                    if let element = object["items"] { object = try document.follow(element) }
                    checked += 1
                    #expect(object["additionalProperties"] == false, "\(operation.id) \(media.key)")
                }
            }
        }
        #expect(checked > 10)
    }

    private static func query(of operation: OpenAPIDocument.Operation) -> [String] {
        operation.parameters.compactMap { $0["in"] == "query" ? $0["name"]?.stringValue : nil }
    }

    private static func access(of operation: OpenAPIDocument.Operation) -> String {
        let schemes = operation.body["security"]?.arrayValue?.flatMap { $0.objectValue?.keys ?? [] }
        return switch schemes {
        case []: "everybody"
        case ["personToken"]: "people"
        case ["apiKey"]: "keys with \(operation.body["x-scope"]?.stringValue ?? "no scope")"
        default: "nobody"
        }
    }

    @Test func everyNameIsUsedOnce() {
        #expect(Set(document.operations.map(\.id)).count == document.operations.count)
    }

    /// The file is served: an operation that the server does not have is a promise that it breaks.
    @Test func noOperationIsPlanned() {
        for operation in document.operations { #expect(operation.body["x-status"] == nil, "\(operation.id)") }
    }

    @Test func everyParameterOfAPathIsDescribed() {
        for operation in document.operations {
            let inPath = operation.path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
            let described = operation.parameters.filter { $0["in"] == "path" }.compactMap { $0["name"]?.stringValue }
            #expect(Set(inPath) == Set(described) && described.count == inPath.count, "\(operation.id)")
        }
    }

    // MARK: Statuses

    /// Each refusal that the shared code of all operations makes is documented wherever that code runs.
    @Test func everyRefusalOfTheSharedCodeIsDocumented() {
        for operation in document.operations {
            // A broken escape in the path or the query.
            var expected: Set<Problem.Kind> = [.malformed]
            if Self.access(of: operation) != "everybody" {
                expected.formUnion([.unauthenticated, .invalidToken, .forbidden, .rateLimited, .unavailable])
            }
            if operation.body["requestBody"] != nil {
                expected.formUnion([.payloadTooLarge, .unsupportedMediaType, .malformed, .invalid])
            }
            if !Self.query(of: operation).isEmpty { expected.insert(.invalid) }
            // An unknown parameter, and a body that is not read.
            if operation.method != "GET", Self.access(of: operation) != "everybody" { expected.formUnion([.invalid, .payloadTooLarge]) }
            for kind in expected {
                #expect(operation.responses[kind.status.code] != nil, "\(operation.id) does not document \(kind.rawValue)")
            }
        }
    }

    /// The statuses that no operation lists are those that the description of the document names.
    @Test func everyKindOfProblemHasItsPlace() throws {
        let text = try #require(document.root["info"]?["description"]?.stringValue)
        let documented = Set(document.operations.flatMap(\.responses.keys))
        for kind in Problem.Kind.allCases {
            let status = kind.status.code
            let isGeneral = OpenAPIDocument.general.contains(status) || kind == .internal
            #expect(text.contains("- \(status)") == isGeneral, "\(kind.rawValue)")
            #expect(documented.contains(status) != isGeneral, "\(kind.rawValue)")
        }
        let known = Set(Problem.Kind.allCases.map(\.status.code))
        for status in documented where status >= 400 { #expect(known.contains(status), "\(status) is no status of a problem") }
    }

    /// A refusal has a problem document, except for liveness and readiness, which supervisors and proxies read.
    @Test func everyRefusalIsAProblemDocument() {
        for operation in document.operations where !["getLiveness", "getReadiness"].contains(operation.id) {
            for (status, response) in operation.responses where status >= 400 {
                #expect(response["content"]?.objectValue?.keys == ["application/problem+json"], "\(operation.id) \(status)")
            }
        }
    }

    /// The statuses of problems, their titles and their examples agree.
    @Test func theExamplesOfProblemsAreThoseOfTheCode() throws {
        for entry in document.root["components"]?["responses"]?.objectValue?.entries ?? [] {
            guard let media = entry.value["content"]?["application/problem+json"] else { continue }
            for example in try document.examples(in: media) {
                let kind = Problem.Kind.allCases.first { example["type"]?.stringValue == "urn:tidings:problem:\($0.rawValue)" }
                #expect(example["title"]?.stringValue == kind?.title && example["status"]?.intValue == kind?.status.code, "\(entry.key)")
            }
        }
    }
}
