import TidingsHTTPServer
import TidingsStore
import TidingsWeb

/// Decides who calls, and whether the caller may use an operation. Nothing fails open: without keys for tokens, no token is accepted.
struct AccessControl: Sendable {
    let persons: PersonTokens?
    let keys: KeyCheck
    /// Nil sets no limit.
    let rates: RateLimits?
    /// Nil sets no limit.
    let failures: FailedLogins?

    /// - Parameter client: the address of the caller. Nil: it is not known.
    func caller(of request: ServerRequest, at client: ClientAddress?, for access: APIAccess) async throws -> Caller {
        if access == .open { return .anyone }
        guard let token = try BearerToken(request) else { throw BearerToken.missing }
        let caller = try await caller(of: token, Login(failures: failures, client: client), for: access)
        try rates?.count(caller)
        return caller
    }

    /// Checks the credentials before the access: 401 says that the credentials are not valid, 403 that valid credentials are not for this
    /// operation.
    private func caller(of token: BearerToken, _ login: Login, for access: APIAccess) async throws -> Caller {
        let isKey = KeyCheck.isKey(token.text)
        switch access {
        case .open: return .anyone
        case .person:
            guard !isKey else {
                _ = try await keys.key(token.text, login)
                throw Problem(.forbidden, "This path is for the token of a person, and not for a key.")
            }
            guard let persons else { throw BearerToken.invalid("This server accepts no tokens of people: it has no keys to verify them.") }
            return try await persons.person(of: token.text, login)
        case .key(let scope):
            guard isKey else {
                guard try await isOfPerson(token, login) else {
                    throw BearerToken.invalid("The credentials are not a key. A key begins with \(APIKeyText.prefix).")
                }
                throw Problem(.forbidden, "This path is for a key, and not for the token of a person.")
            }
            let key = try await keys.key(token.text, login)
            guard key.allows(scope) else { throw Self.insufficient(scope) }
            return .key(key)
        }
    }

    private static func insufficient(_ scope: APIScope) -> Problem {
        BearerToken.insufficient(scope.rawValue, "The key needs the scope \(scope.rawValue).")
    }

    /// Whether this is the valid token of a person. False if the server accepts no tokens of people.
    private func isOfPerson(_ token: BearerToken, _ login: Login) async throws -> Bool {
        guard let persons else { return false }
        do {
            _ = try await persons.person(of: token.text, login)
            return true
        } catch let problem as Problem where problem.kind == .invalidToken {
            return false
        }
    }
}
