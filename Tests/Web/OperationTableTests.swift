import HTTPTypes
import Testing
import TidingsHTTPServer

@testable import TidingsWeb

private enum Access: OperationAccess { case open, member }

private typealias Operation = TidingsWeb.Operation<Access, Int>

/// The operation of a method and a path.
@Suite struct OperationTableTests {
    private let table = OperationTable([
        Self.operation(.get, "/items/{id}", "show"), Self.operation(.delete, "/items/{id}", "delete"),
        Self.operation(.get, "/items/stream", "stream", opensStream: true),
    ])

    private static func operation(
        _ method: HTTPRequest.Method, _ path: String, _ name: String, _ access: Access = .open, opensStream: Bool = false
    ) -> Operation {
        Operation(method, path, name, access, opensStream: opensStream) { _ in ServerResponse(.noContent) }
    }

    private func found(_ method: HTTPRequest.Method, _ path: [String]) -> String? {
        if case .found(let operation, _) = table.match(method, path) { operation.name } else { nil }
    }

    private func allowed(_ method: HTTPRequest.Method, _ path: [String]) -> [String]? {
        if case .wrongMethod(let allowed) = table.match(method, path) { allowed.map(\.rawValue) } else { nil }
    }

    @Test func headTakesTheOperationOfGet() {
        #expect(found(.head, ["items", "7"]) == "show" && found(.get, ["items", "7"]) == "show")
        #expect(allowed(.post, ["items", "7"]) == ["DELETE", "GET", "HEAD"])
    }

    @Test func headOpensNoStream() {
        #expect(found(.get, ["items", "stream"]) == "stream")
        #expect(allowed(.head, ["items", "stream"]) == ["GET"])
    }

    @Test func aPathForOtherMethodsNamesThem() {
        let problem = #expect(throws: Problem.self) { try table.find(.post, path: "/items/7", query: nil) }
        #expect(problem?.kind == .methodNotAllowed && problem?.headers[.allow] == "DELETE, GET, HEAD")
    }

    @Test(arguments: [("/things", Problem.Kind.notFound), ("/items/%zz", .malformed), ("/items/", .notFound)])
    func aRequestWithoutAnOperationIsRefused(path: String, kind: Problem.Kind) {
        let problem = #expect(throws: Problem.self) { try table.find(.get, path: path[...], query: nil) }
        #expect(problem?.kind == kind)
    }

    @Test func parametersAreDecoded() throws {
        let (operation, target, parameters) = try table.find(.get, path: "/items/a%2Fb", query: "x=1")
        #expect(operation.name == "show" && parameters == ["id": "a/b"] && target.query.map(\.value) == ["1"])
    }

    @Test func onlyACallerWithCredentialsAsksForAChange() {
        #expect(Self.operation(.delete, "/items", "clear", .member).isChange)
        #expect(!Self.operation(.get, "/items", "list", .member).isChange)
        #expect(!Self.operation(.post, "/reports", "report", .open).isChange)
    }
}
