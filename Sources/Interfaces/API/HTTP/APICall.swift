import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsModules
import TidingsStore
import TidingsWeb

/// One request on its way through an operation of the API.
struct APICall: PersonCall {
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

    /// A notification's id of the path. A text that is no id names no notification.
    func notificationID(_ name: String = "id") throws -> NotificationID {
        guard let id = NotificationID(parameter(name)) else { throw Problem(.notFound) }
        return id
    }

    /// Reads the body as a JSON object of at most ``APILimits/bodyBytes``.
    ///
    /// - Parameter isLenient: see ``OperationCall/object(upTo:leniently:)``.
    func object(leniently isLenient: Bool = false) async throws -> JSONObject {
        try await object(upTo: APILimits.bodyBytes, leniently: isLenient)
    }

    /// Reads the body, whose bytes count for the caller. Nothing is decompressed.
    func body(upTo limit: Int) async throws -> [UInt8] {
        try request.refuseContentCoding()
        // A chunked body has no announced length.
        let isAnnounced = request.body.declaredBytes != nil
        if !isAnnounced, request.body.isAnnounced { try rates?.admitUnknownLength(of: caller) }
        return try await request.wholeBody(upTo: limit) { [lease, rates, caller] count in
            let before = try lease.reserve(count)
            if isAnnounced {
                try rates?.count(bytes: count, of: caller)
            } else {
                rates?.charge(bytes: count, after: before, to: caller)
            }
        }
    }
}
