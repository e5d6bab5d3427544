import HTTPTypes
import Testing
import TidingsHTTPServer

@testable import TidingsAPI

/// The operation of a method and a path.
@Suite struct OperationTableTests {
    private let table = OperationTable([
        TidingsAPI.Operation(.get, "/items/{id}", "show", .open) { _ in .noContent },
        TidingsAPI.Operation(.delete, "/items/{id}", "delete", .open) { _ in .noContent },
        TidingsAPI.Operation(.get, "/items/stream", "stream", .open, answersHead: false) { _ in .noContent },
    ])

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
}
