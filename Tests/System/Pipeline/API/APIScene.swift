import Foundation
import Testing
import TidingsHTTP
import TidingsJSON
import TidingsJWT
import TidingsPostgres
import TidingsTestSupport

/// Every role with the HTTP API, as real processes of a test's own system.
struct APIScene: Sendable {
    let pipeline: Pipeline
    /// Such as `http://127.0.0.1:41873`.
    private(set) var url: String
    let signer: JWTSigner
    /// The settings of the API.
    private let variables: [String: String]
    private let client: LoopbackClient

    static let issuer = "https://login.test"
    static let audience = "tidings-test"

    fileprivate init(_ pipeline: Pipeline, url: String, signer: JWTSigner, variables: [String: String]) throws {
        self.pipeline = pipeline
        self.url = url
        self.signer = signer
        self.variables = variables
        client = try LoopbackClient()
    }

    /// An answer with its body as JSON; null if the body is none.
    struct Answer: Sendable {
        let status: Int
        let type: String
        let text: String

        var json: JSON { (try? JSON.parse(text)) ?? .null }

        /// The end of a problem's type, such as `not-found`.
        var problem: String? {
            json["type"]?.stringValue.flatMap { $0.hasPrefix("urn:tidings:problem:") ? String($0.dropFirst(20)) : nil }
        }
    }

    /// A request with the given `Authorization`. An answer that the OpenAPI document does not describe is recorded as an issue, so that every
    /// test of the API is also a test of the contract.
    func ask(
        _ method: String, _ path: String, authorization: String? = nil, headers: [(String, String)] = [], body: String? = nil,
        type: String = "application/json", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        var headers = headers
        if let authorization { headers.append(("authorization", authorization)) }
        if body != nil { headers.append(("content-type", type)) }
        let answer = try await client.answer(url + path, method: method, headers: headers, body: body ?? "")
        let text = String(decoding: answer.body, as: UTF8.self)
        let faults = try OpenAPIDocument.standard().faults(of: answer, to: method, path)
        #expect(faults.isEmpty, "\(method) \(path): \(text)", sourceLocation: sourceLocation)
        return Answer(status: answer.status, type: answer.header("content-type") ?? "", text: text)
    }

    /// A request of a person.
    func ask(
        _ person: String, _ method: String, _ path: String, body: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await ask(method, path, authorization: "Bearer \(token(for: person))", body: body, sourceLocation: sourceLocation)
    }

    /// A good token, unless `change` makes it bad.
    func token(for person: String, _ change: (inout JSONObject) -> Void = { _ in }) -> String {
        var claims = Self.claims(person)
        change(&claims)
        return signer.sign(claims)
    }

    static func claims(_ person: String) -> JSONObject {
        var claims = JSONObject()
        claims["iss"] = .string(issuer)
        claims["aud"] = .string(audience)
        claims["sub"] = .string(person)
        claims["exp"] = JSON(integerLiteral: Int64(Date().timeIntervalSince1970) + 3_600)
        return claims
    }

    /// The port of the API.
    var port: Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// The value of a series, such as `tidings_api_streams`. Nil if the process does not have it. Needs `HealthClient.variables`.
    func metric(_ series: String) async throws -> Int? {
        let text = try await HealthClient(of: pipeline.roles).ask("/metrics").text
        let line = text.split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Int($0.dropFirst(series.count + 1)) }
    }

    /// The scene with another process, which offers the API to keys and has no other role.
    func withAPIAlone() async throws -> APIScene {
        var other = self
        other.url = try await apiURL(of: pipeline.system.start("run", "api", with: ["TIDINGS_API_LISTEN": "127.0.0.1:0"]))
        return other
    }

    /// Runs `body` with another process, which has no other role. Its login is a member of `tidings_run_api` and of no other role.
    func withNarrowLogin(_ body: (APIScene) async throws -> Void) async throws {
        let system = pipeline.system
        let login = "tidings_api_\(UInt32.random(in: 0...UInt32.max))"
        _ = try await system.query("create role \(unsafe: login) login password 'secret' in role tidings_run_api")
        var database = try #require(URLComponents(string: system.databaseURL))
        (database.user, database.password) = (login, "secret")
        let own = ["TIDINGS_DATABASE_URL": try #require(database.string)]
        let process = try system.start("run", "api", with: variables.merging(own) { $1 })
        var other = self
        other.url = try await apiURL(of: process)
        try await body(other)

        let doctor = try await system.tidings("doctor")
        #expect(doctor.output.contains("✓ rights: ") && !doctor.output.contains(login), "\(doctor.output)")
        process.signal(SIGTERM)
        let end = await process.finish()
        #expect(end.exitCode == 0 && !end.errors.contains("permission denied"), "\(end.errors.suffix(4_000))")
        _ = try await system.query("drop role \(unsafe: login)")
    }

    /// Makes a key with the command line. Returns the value of the header `Authorization`.
    func key(_ scopes: String..., tenant: String = "default") async throws -> String { try await key(scopes, tenant: tenant) }

    func key(_ scopes: [String], tenant: String = "default") async throws -> String {
        let arguments = ["key", "create", "--name", "test-\(UUID().uuidString.prefix(8))", "--tenant", tenant]
        let made = try await TestProcess(
            [TestSystem.binary] + arguments + scopes.flatMap { ["--scope", $0] }, environment: pipeline.system.environment
        ).finish()
        try #require(made.exitCode == 0, "\(made.errors)")
        let key = try #require(made.output.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("tid_") }, "\(made.output)")
        return "Bearer \(key)"
    }
}

/// Runs `body` with every role and the API.
func withAPI(catalogue: String? = nil, _ body: (APIScene) async throws -> Void) async throws {
    try await withAPI(variables: [:], preparing: { _ in catalogue }, body)
}

/// Runs `body` with every role, the API, and a catalogue that depends on the system.
func withAPI(
    variables: [String: String], preparing: (TestSystem) async throws -> String?, _ body: (APIScene) async throws -> Void
) async throws {
    let signer = JWTSigner()
    try await withFile(signer.publicKeySet) { keys in
        let own = [
            "TIDINGS_API_LISTEN": "127.0.0.1:0", "TIDINGS_API_JWKS": keys, "TIDINGS_API_ISSUER": APIScene.issuer,
            "TIDINGS_API_AUDIENCE": APIScene.audience, "TIDINGS_API_STOP_DELAY": "0s",
        ]
        let all = own.merging(variables) { $1 }
        try await withPipeline(variables: all, preparing: preparing) { pipeline in
            let url = try await apiURL(of: pipeline.roles)
            try await body(try APIScene(pipeline, url: url, signer: signer, variables: all))
        }
    }
}

/// Waits until the process says where its API listens.
func apiURL(of process: TestProcess) async throws -> String {
    let isTold = try await process.says(/the API listens[^\n]*\n/)
    try #require(isTold, "\(process.errorsSoFar)")
    let log = process.errorsSoFar
    let start = try #require(log.firstRange(of: "address=http://127.0.0.1:"), "\(log)")
    return "http://127.0.0.1:" + log[start.upperBound...].prefix { $0.isNumber }
}
