import Synchronization
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsCrypto
import TidingsJSON
import TidingsJWT
import TidingsStore
import TidingsWeb

/// Verifies the tokens of people and remembers which are good, because an app sends the same token with every request.
final class PersonTokens: Sendable {
    private struct Remembered {
        let person: RecipientKey
        let until: Timestamp
        /// The thumbprint of the key that signed the token.
        let key: [UInt8]
    }

    private struct Memory {
        /// By the SHA-256 of the token.
        var tokens: [[UInt8]: Remembered] = [:]
        /// The reasons of tokens that were refused a moment ago. A flood of these must not drive good tokens out.
        var refused: [[UInt8]: (reason: JWTError, until: Timestamp)] = [:]
        /// The number of the key set with which the tokens were verified.
        var keys = 0
    }

    private let keys: TokenKeys
    private let verifier: JWTVerifier
    /// The tenants that a token may name. Empty: every tenant.
    private let tenants: Set<String>
    private let clock: DatabaseClock
    private let memory = Mutex(Memory())

    init(keys: TokenKeys, verifier: JWTVerifier, tenants: Set<String>, clock: DatabaseClock) {
        self.keys = keys
        self.verifier = verifier
        self.tenants = tenants
        self.clock = clock
    }

    /// The time for which a refused token is remembered: a program that does not give up costs no more signatures.
    static let memoryOfRefusals = Duration.seconds(10)
    /// Refused tokens that are remembered.
    static let rememberedRefusals = 1_000

    /// The person of a token. Throws a ``Problem`` if the token is not good now.
    func person(of token: String, _ login: Login) async throws -> Caller {
        guard token.utf8.count <= APILimits.tokenBytes else { throw BearerToken.invalid("The token is too long.") }
        let digest = SHA256.hash(Array(token.utf8))
        let now = clock.now()
        let looks = keys.looksBegun
        guard let set = keys.current else { throw TokenKeys.unreadable }
        if let known = remembered(digest, keys: set.number, now: now) { return caller(known) }
        if let reason = refusal(of: digest, keys: set.number, now: now) { throw Self.refused(reason) }
        try login.begin()
        let (claims, number) = try await verified(token, digest, set, after: looks, login, now: now)
        let accepted = Remembered(
            person: try person(in: claims), until: claims.expiresAt.adding(verifier.leeway), key: claims.keyThumbprint)
        remember(accepted, as: digest, keys: number, now: now)
        return caller(accepted)
    }

    private func caller(_ token: Remembered) -> Caller {
        .person(token.person, PersonProof(until: token.until) { [keys] in keys.has(token.key) })
    }

    /// Verifies a token. If the set does not have its key, the token waits for one look at the source that begins after the token came: the
    /// issuer may have a new key.
    ///
    /// - Returns: The token, and the number of the set that has its key.
    private func verified(
        _ text: String, _ digest: [UInt8], _ first: TokenKeys.Numbered, after looks: Int, _ login: Login, now: Timestamp
    ) async throws -> (VerifiedToken, number: Int) {
        var set = first
        // A token that waits counts as a failed login meanwhile, so one address has few of them that wait.
        var isWaiting = false
        while true {
            do throws(JWTError) {
                let token = try verifier.verify(text, keys: set.keys, now: now)
                if isWaiting { login.hasNotFailed() }
                return (token, set.number)
            } catch .unknownKey {
                if !isWaiting { login.failed() }
                isWaiting = true
            } catch {
                if error.isFailedLogin, !isWaiting { login.failed() }
                if !error.isFailedLogin, isWaiting { login.hasNotFailed() }
                remember(refusal: error, of: digest, keys: set.number, now: now)
                throw Self.refused(error)
            }
            do {
                let id = JWTVerifier.keyID(of: text) ?? ""
                guard let newer = try await keys.newer(than: set.number, with: id, after: looks) else { throw Self.unknownKey }
                set = newer
            } catch {
                // No signature was checked, so nothing was guessed. After the withdrawal of a key, a crowd comes with its tokens. Each
                // connection gets one such answer in a second.
                login.hasNotFailed()
                throw error
            }
        }
    }

    static var unknownKey: Problem {
        var problem = refused(.unknownKey)
        problem.isPaused = true
        return problem
    }

    private static func refused(_ reason: JWTError) -> Problem { BearerToken.invalid("The token is refused: \(reason).") }

    private func person(in token: VerifiedToken) throws -> RecipientKey {
        guard let id = token.subject else { throw BearerToken.invalid("The token names nobody: sub is missing.") }
        if let fault = RecipientForm.fault(in: id) { throw BearerToken.invalid("The token names nobody: sub \(fault).") }
        let tenant = try Self.tenant(in: token)
        guard tenants.isEmpty || tenants.contains(tenant) else {
            throw BearerToken.invalid("The login service may not name this tenant.")
        }
        return RecipientKey(tenant: tenant, id: id)
    }

    private static func tenant(in token: VerifiedToken) throws -> String {
        guard let claim = token.otherClaims["tenant"], !claim.isNull else { return Intent.defaultTenant }
        guard let tenant = claim.stringValue, CatalogueNames.isTenant(tenant) else {
            throw BearerToken.invalid("The claim tenant must be \(CatalogueNames.nameRule).")
        }
        return tenant
    }

    private func remembered(_ digest: [UInt8], keys number: Int, now: Timestamp) -> Remembered? {
        memory.withLock { memory in
            guard memory.keys == number, let known = memory.tokens[digest] else { return nil }
            return now < known.until ? known : nil
        }
    }

    private func remember(_ token: Remembered, as digest: [UInt8], keys number: Int, now: Timestamp) {
        memory.withLock { memory in
            // A key that left the set must not live on in a remembered token.
            if memory.keys != number { memory = Memory(keys: number) }
            memory.refused[digest] = nil
            if memory.tokens.count >= APILimits.rememberedTokens { memory.tokens = memory.tokens.filter { now < $0.value.until } }
            if memory.tokens.count >= APILimits.rememberedTokens { memory.tokens.removeAll() }
            memory.tokens[digest] = token
        }
    }

    private func refusal(of digest: [UInt8], keys number: Int, now: Timestamp) -> JWTError? {
        memory.withLock { memory in
            guard memory.keys == number, let refused = memory.refused[digest], now < refused.until else { return nil }
            return refused.reason
        }
    }

    private func remember(refusal reason: JWTError, of digest: [UInt8], keys number: Int, now: Timestamp) {
        memory.withLock { memory in
            if memory.keys != number { memory = Memory(keys: number) }
            if memory.refused.count >= Self.rememberedRefusals { memory.refused.removeAll() }
            memory.refused[digest] = (reason, now.adding(Self.memoryOfRefusals))
        }
    }
}

extension JWTError {
    /// Whether no issuer signed the token. The other errors are told only after a good signature. A token of an unknown key is judged after
    /// a look at the keys.
    fileprivate var isFailedLogin: Bool {
        switch self {
        case .unusableClaim, .noExpiry, .expired, .notYetValid, .issuedInTheFuture, .livesTooLong, .wrongIssuer, .wrongAudience: false
        case .tooLong, .notThreeParts, .encrypted, .notBase64URL, .notJSON, .notAnObject, .criticalExtension, .nested, .unencodedPayload,
            .wrongType, .unusableKeyID, .algorithmNotAllowed, .unknownKey, .noKeyID, .otherAlgorithmThanKey, .wrongSignature:
            true
        }
    }
}
