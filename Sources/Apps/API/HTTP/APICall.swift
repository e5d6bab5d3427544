import HTTPTypes
import TidingsCore
import TidingsEncodings
import TidingsHTTPServer
import TidingsJSON
import TidingsStore
import TidingsWeb

/// One request on its way through an operation.
struct APICall: Sendable {
    let request: ServerRequest
    let query: QueryReader
    let parameters: [String: String]
    let caller: Caller
    let id: RequestID
    /// Nil sets no limit.
    let rates: RateLimits?
    /// The memory of the body.
    let lease: ByteLease
    /// Nil sets no limit.
    let place: RequestPlace?

    /// The person whose token came with the request. Throws if the operation is not for persons.
    var person: RecipientKey {
        get throws {
            guard case .person(let person, _) = caller else { throw Problem(.forbidden) }
            return person
        }
    }

    /// The key that came with the request. Throws if the operation is not for keys.
    var key: CallerKey {
        get throws {
            guard case .key(let key) = caller else { throw Problem(.forbidden) }
            return key
        }
    }

    /// A parameter of the path, decoded. The operation's path has it.
    func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// A notification's id of the path. A text that is no id names no notification.
    func notificationID(_ name: String = "id") throws -> NotificationID {
        guard let id = NotificationID(parameter(name)) else { throw Problem(.notFound) }
        return id
    }

    /// Reads the body as a JSON object.
    ///
    /// - Parameters:
    ///   - limit: the largest size in bytes.
    ///   - isLenient: whether a text that cannot be stored comes with U+FFFD in its place, instead of refusing the body. Set it if the body
    ///     has members that are no reason for a refusal. A member name twice is refused in any case.
    func object(upTo limit: Int = APILimits.bodyBytes, leniently isLenient: Bool = false) async throws -> JSONObject {
        guard let type = request.header(.contentType), MediaType.isJSON(type) else {
            throw Problem(.unsupportedMediaType, "Send application/json, in UTF-8.")
        }
        let bytes = try await body(upTo: limit)
        do {
            let json = try isLenient ? JSON.parse(leniently: bytes, refusingDuplicates: true) : JSON.parse(bytes)
            guard let object = json.objectValue else { throw Problem(.invalid, fields: [.body("", "must be an object")]) }
            return object
        } catch let error as JSONParseError {
            throw Problem(.malformed, "The body \(Self.fault(error)): \(error).")
        }
    }

    /// The fault of a body that cannot be read, as the end of a sentence.
    private static func fault(_ error: JSONParseError) -> String {
        switch error.code {
        case .nulCharacter: "holds U+0000"
        case .invalidUTF8: "holds a text that is not Unicode"
        case .duplicateKey: "has a member twice"
        case .notJSON, .tooDeep, .tooManyNodes, .numberTooLong, .trailingContent, .tooManyElements: "is not JSON"
        }
    }

    /// Refuses a body that asks for something, for an operation that reads none. Libraries send an empty body in different forms: no bytes,
    /// blanks, or an empty value of JSON.
    func refuseBody() async throws {
        let bytes = try await body(upTo: APILimits.bodyBytes)
        if bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) { return }
        switch try? JSON.parse(bytes) {
        case .null?: return
        case .string(let text)? where text.isEmpty: return
        case .array(let elements)? where elements.isEmpty: return
        case .object(let object)?: try BodyReader(object, known: []).finish()
        default: throw Problem(.invalid, fields: [.body("", "must be empty: this request has no body")])
        }
    }

    /// Reads the body, whose bytes count for the caller. Nothing is decompressed.
    func body(upTo limit: Int) async throws -> [UInt8] {
        if let coding = request.header(.contentEncoding), !["", "identity"].contains(coding.lowercased()) {
            throw Problem(.unsupportedMediaType, "A Content-Encoding is not supported. Send the body itself, without compression.")
        }
        // A chunked body has no announced length.
        let isAnnounced = request.body.declaredBytes != nil
        do {
            if !isAnnounced, request.body.isAnnounced { try rates?.admitUnknownLength(of: caller) }
            return try await request.body.bytes(upTo: limit) { [lease, rates, caller] count in
                let before = try lease.take(count)
                if isAnnounced {
                    try rates?.count(bytes: count, of: caller)
                } else {
                    rates?.charge(bytes: count, after: before, to: caller)
                }
            }
        } catch let failure as ServerRequestBody.Failure {
            throw Self.problem(failure, limit)
        }
    }

    private static func problem(_ failure: ServerRequestBody.Failure, _ limit: Int) -> Problem {
        switch failure {
        case .tooLarge: Problem(.payloadTooLarge, "At most \(limit) bytes are allowed.")
        case .tooSlow: Problem(.requestTimeout)
        case .broken: Problem(.malformed, "The body broke off or is not HTTP.")
        }
    }
}

extension ServerResponse {
    /// An answer in JSON. A line feed ends the body, so that the prompt of a shell stands on a line of its own.
    static func json(_ status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void) -> ServerResponse {
        var writer = JSONWriter(capacity: 512)
        write(&writer)
        writer.endLine()
        return ServerResponse(status, headers: [.contentType: "application/json"], body: .bytes(writer.bytes))
    }

    static func json(_ status: HTTPResponse.Status = .ok, _ json: JSON) -> ServerResponse { .json(status) { $0.value(json) } }

    static let noContent = ServerResponse(.noContent)
}
