import HTTPTypes
import TidingsEncodings
package import TidingsHTTPServer
package import TidingsJSON

/// One request on its way through an operation.
package protocol OperationCall: Sendable {
    var request: ServerRequest { get }
    /// The parameters of the path, decoded, by their names.
    var parameters: [String: String] { get }

    /// Reads the body. Throws a ``Problem`` for a body that is beyond the limit, or beyond the share of its caller.
    ///
    /// - Parameter limit: the largest size in bytes.
    func body(upTo limit: Int) async throws -> [UInt8]
}

extension OperationCall {
    /// A parameter of the path, decoded. The operation's path has it.
    package func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// Reads the body as a JSON object.
    ///
    /// - Parameters:
    ///   - limit: the largest size in bytes.
    ///   - isLenient: whether a text that cannot be stored comes with U+FFFD in its place, instead of refusing the body. Set it if the body
    ///     has members that are no reason for a refusal. A member name twice is refused in any case.
    package func object(upTo limit: Int, leniently isLenient: Bool = false) async throws -> JSONObject {
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
    package func refuseBody(upTo limit: Int) async throws {
        let bytes = try await body(upTo: limit)
        if bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) { return }
        switch try? JSON.parse(bytes) {
        case .null?: return
        case .string(let text)? where text.isEmpty: return
        case .array(let elements)? where elements.isEmpty: return
        case .object(let object)?: try BodyReader(object, known: []).finish()
        default: throw Problem(.invalid, fields: [.body("", "must be empty: this request has no body")])
        }
    }
}

extension ServerRequest {
    /// Refuses a compressed body: nothing is decompressed.
    package func refuseContentCoding() throws(Problem) {
        guard let coding = header(.contentEncoding), !["", "identity"].contains(coding.lowercased()) else { return }
        throw Problem(.unsupportedMediaType, "A Content-Encoding is not supported. Send the body itself, without compression.")
    }

    /// Reads the whole body. Throws the error of `take`, or a ``Problem`` for a body that is too large, too slow or broken.
    ///
    /// - Parameters:
    ///   - limit: the largest size in bytes.
    ///   - take: asked for each byte before it is kept, as by ``ServerRequestBody/bytes(upTo:taking:)``.
    package func wholeBody(upTo limit: Int, taking take: @Sendable (Int) throws -> Void) async throws -> [UInt8] {
        do {
            return try await body.bytes(upTo: limit, taking: take)
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
