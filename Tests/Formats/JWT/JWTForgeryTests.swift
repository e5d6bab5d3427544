import Testing
import TidingsCrypto
import TidingsEncodings
import TidingsJSON
import TidingsJWT

/// Tokens that attackers write: other algorithms, keys of their own, and signatures that nobody made.
@Suite struct JWTForgeryTests {
    private let issuer: TokenIssuer

    init() throws { issuer = try TokenIssuer() }

    /// Without these, every refusal below could have another cause.
    @Test(arguments: JWTAlgorithm.allCases) func rightTokensAreAccepted(_ algorithm: JWTAlgorithm) {
        #expect(issuer.refusal(of: issuer.token(by: algorithm)) == nil)
    }

    // MARK: Algorithms

    @Test(arguments: [
        #""none""#, #""None""#, #""NONE""#, #""nOnE""#, #""none ""#, #""""#, "null", "[]", #"["ES256"]"#, "0", "false", "{}",
    ])
    func noAlgorithmIsNotOne(_ name: String) {
        let header = #"{"alg":\#(name),"kid":"ec"}"#
        let unsigned = TokenIssuer.signed(header, Array(TokenIssuer.payload().utf8)) + "."
        #expect(issuer.refusal(of: unsigned) == .algorithmNotAllowed)
        #expect(issuer.refusal(of: issuer.token(header: header)) == .algorithmNotAllowed)
    }

    @Test(arguments: [
        "HS256", "HS384", "HS512", "ES384", "ES512", "ES256K", "RS384", "RS512", "PS256", "RS1", "Ed25519", "Ed448", "es256", "Es256",
        "ES256 ", " ES256", "EDDSA", "eddsa", "RSA1_5", "dir",
    ])
    func otherAlgorithmsAreRefused(_ name: String) {
        for key in ["ec", "rsa", "ed", "other"] {
            #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"\#(name)","kid":"\#(key)"}"#)) == .algorithmNotAllowed)
        }
        #expect(issuer.refusal(of: issuer.token(header: #"{"kid":"ec"}"#)) == .algorithmNotAllowed)
    }

    /// A verifier that takes the algorithm from the token uses the public key, which everybody knows, as the secret.
    @Test func aPublicKeyIsNoSecret() throws {
        let point = try P256PrivateKey(pem: SampleKeys.ecPrivatePEM).publicKey.point
        let texts = [
            SampleKeys.ecPublicPEM, SampleKeys.rsaPublicPEM, SampleKeys.ecX, SampleKeys.rsaModulus, SampleKeys.edX, SampleKeys.ec,
            SampleKeys.rsa, SampleKeys.set, "", "secret",
        ]
        let decoded = [SampleKeys.ecX, SampleKeys.rsaModulus, SampleKeys.edX].compactMap { Base64URL.decode($0) }
        for secret in texts.map({ Array($0.utf8) }) + decoded + [point] {
            for key in ["ec", "rsa", "ed"] {
                let token = forged(#"{"alg":"HS256","typ":"JWT","kid":"\#(key)"}"#) { hmacSHA256(key: secret, message: $0) }
                #expect(issuer.refusal(of: token) == .algorithmNotAllowed)
            }
            for algorithm in JWTAlgorithm.allCases {
                let token = forged(TokenIssuer.header(algorithm)) { hmacSHA256(key: secret, message: $0) }
                #expect(issuer.refusal(of: token) == .wrongSignature)
            }
        }
    }

    @Test func aKeyVerifiesOnlyItsOwnAlgorithm() {
        for named in JWTAlgorithm.allCases {
            for claimed in JWTAlgorithm.allCases where claimed != named {
                for signer in JWTAlgorithm.allCases {
                    let header = #"{"alg":"\#(claimed.rawValue)","kid":"\#(TokenIssuer.keyID(named))"}"#
                    #expect(issuer.refusal(of: issuer.token(header: header, by: signer)) == .otherAlgorithmThanKey)
                }
            }
            for signer in JWTAlgorithm.allCases where signer != named {
                #expect(issuer.refusal(of: issuer.token(header: TokenIssuer.header(named), by: signer)) == .wrongSignature)
            }
        }
    }

    @Test func onlyAllowedAlgorithmsAreAccepted() throws {
        var narrow = issuer
        for allowed in JWTAlgorithm.allCases {
            narrow.verifier.algorithms = [allowed]
            for algorithm in JWTAlgorithm.allCases {
                #expect(narrow.refusal(of: narrow.token(by: algorithm)) == (algorithm == allowed ? nil : .algorithmNotAllowed))
            }
        }
        narrow.verifier.algorithms = []
        #expect(narrow.refusal(of: narrow.token()) == .algorithmNotAllowed)
    }

    // MARK: Keys

    @Test(arguments: [
        "", " ", "EC", " ec", "ec ", "ec\\n", "../../../../dev/null", "/dev/null", "file:///etc/passwd",
        "https://attacker.example/key.json",
        "ec' OR '1'='1", "x' UNION SELECT 'AAAA'; --", "| id", "$(id)", "{{7*7}}", "%65c", "e\\u0063\\u200b", "0", "null", "*",
    ])
    func unknownIDsAreUnknownKeys(_ id: String) {
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"\#(id)"}"#)) == .unknownKey)
    }

    @Test func longAndOddIDsAreRefused() {
        let long = #"{"alg":"ES256","kid":"\#(String(repeating: "a", count: 5_000))"}"#
        #expect(issuer.refusal(of: issuer.token(header: long)) == .unknownKey)
        let longer = #"{"alg":"ES256","kid":"\#(String(repeating: "a", count: 10_000))"}"#
        #expect(issuer.refusal(of: issuer.token(header: longer)) == .tooLong)
        for id in ["1", "null", "true", "[]", #"["ec"]"#, "{}"] {
            #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":\#(id)}"#)) == .unusableKeyID)
        }
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"ec\u0000"}"#)) == .unusableKeyID)
    }

    /// The attacker's own key, or the address of one, in the header.
    @Test func aTokenDoesNotBringItsKey() throws {
        let attacker = P256PrivateKey()
        let (x, y) = (attacker.publicKey.point[1...32], attacker.publicKey.point[33...64])
        let jwk = #"{"kty":"EC","crv":"P-256","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))","kid":"ec"}"#
        let members = [
            #""jwk":\#(jwk)"#, #""jku":"https://attacker.example/keys.json""#, #""x5u":"https://attacker.example/key.pem""#,
            #""x5c":["MIIB"]"#, #""x5t":"AAAA""#, #""x5t#S256":"AAAA""#,
        ]
        for member in members {
            let header = #"{"alg":"ES256","kid":"ec",\#(member)}"#
            #expect(issuer.refusal(of: forged(header) { attacker.sign($0) }) == .wrongSignature)
            let unnamed = #"{"alg":"ES256",\#(member)}"#
            #expect(issuer.refusal(of: forged(unnamed) { attacker.sign($0) }) == .wrongSignature)
            // The issuer's own tokens may have them.
            #expect(issuer.refusal(of: issuer.token(header: header)) == nil)
        }
    }

    /// A token without `kid` needs the only key of its algorithm.
    @Test func aKeyIsNeverGuessed() throws {
        for algorithm in JWTAlgorithm.allCases {
            #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"\#(algorithm.rawValue)"}"#, by: algorithm)) == nil)
        }
        let token = issuer.token(header: #"{"alg":"ES256"}"#)
        let second = JWTSigner()
        let two = try JSONWebKeySet(Array(SampleKeys.set(of: SampleKeys.ec, second.key).utf8))
        #expect(throws: JWTError.noKeyID) { try issuer.verifier.verify(token, keys: two, now: TokenIssuer.now) }
        let others = try JSONWebKeySet(Array(SampleKeys.set(of: SampleKeys.rsa, SampleKeys.ed).utf8))
        #expect(throws: JWTError.unknownKey) { try issuer.verifier.verify(token, keys: others, now: TokenIssuer.now) }
        let none = try JSONWebKeySet(Array(SampleKeys.set(of: "").utf8))
        #expect(throws: JWTError.unknownKey) { try issuer.verifier.verify(token, keys: none, now: TokenIssuer.now) }
    }

    // MARK: Signatures

    @Test func signaturesOfES256HaveOneForm() throws {
        let signed = TokenIssuer.signed(TokenIssuer.header(), Array(TokenIssuer.payload().utf8))
        let right = issuer.ec.sign(Array(signed.utf8))
        let (r, s) = (Array(right.prefix(32)), Array(right.suffix(32)))
        let (zero, order) = ([UInt8](repeating: 0, count: 32), HandmadeKey.order)
        let der = HandmadeKey.der(0x30, HandmadeKey.der(0x02, [0] + r), HandmadeKey.der(0x02, [0] + s))
        let wrong: [[UInt8]] = [
            [], zero + zero, zero + s, r + zero, order + s, r + order, order + order, s + r, der, r, right + [0], [0] + right,
            right + right,
            Array(right.dropLast()), [0] + r + [0] + s, [UInt8](repeating: 0xFF, count: 64), HandmadeKey.small(1) + HandmadeKey.small(1),
        ]
        for signature in wrong {
            #expect(issuer.refusal(of: "\(signed).\(Base64URL.encode(signature))") == .wrongSignature)
        }
        #expect(issuer.refusal(of: "\(signed).\(Base64URL.encode(right))") == nil)
        // Each signature has a twin with the order less s. Both prove that the key's owner signed, and RFC 7518 allows both.
        #expect(issuer.refusal(of: "\(signed).\(Base64URL.encode(r + Self.orderLess(s)))") == nil)
    }

    @Test(arguments: JWTAlgorithm.allCases) func wrongLengthsAndZerosAreNoSignature(_ algorithm: JWTAlgorithm) {
        let signed = TokenIssuer.signed(TokenIssuer.header(algorithm), Array(TokenIssuer.payload().utf8))
        let right = issuer.sign(Array(signed.utf8), by: algorithm)
        let wrong: [[UInt8]] = [
            [], [0], [UInt8](repeating: 0, count: right.count), [UInt8](repeating: 0xFF, count: right.count), Array(right.dropLast()),
            Array(right.dropFirst()), right + [0], [0] + right, right.reversed(),
        ]
        for signature in wrong {
            #expect(issuer.refusal(of: "\(signed).\(Base64URL.encode(signature))") == .wrongSignature)
        }
    }

    /// Every character of a token counts.
    @Test(arguments: JWTAlgorithm.allCases) func aChangedCharacterIsNoticed(_ algorithm: JWTAlgorithm) {
        let token = Array(issuer.token(by: algorithm).utf8)
        for place in token.indices {
            var changed = token
            changed[place] = changed[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(issuer.refusal(of: String(decoding: changed, as: UTF8.self)) != nil, "character \(place)")
        }
    }

    @Test func aSignatureBelongsToItsHeaderAndPayload() {
        let (one, two) = (
            issuer.token().split(separator: "."), issuer.token(payload: TokenIssuer.payload(["sub": #""p-8""#])).split(separator: ".")
        )
        #expect(issuer.refusal(of: "\(one[0]).\(two[1]).\(one[2])") == .wrongSignature)
        #expect(issuer.refusal(of: "\(one[0]).\(one[1]).\(two[2])") == .wrongSignature)
        let header = Base64URL.encode(#"{"kid":"ec","alg":"ES256"}"#.utf8)
        #expect(issuer.refusal(of: "\(header).\(one[1]).\(one[2])") == .wrongSignature)
    }

    // MARK: Means

    private func forged(_ header: String, signature: ([UInt8]) -> [UInt8]) -> String {
        let signed = TokenIssuer.signed(header, Array(TokenIssuer.payload().utf8))
        return "\(signed).\(Base64URL.encode(signature(Array(signed.utf8))))"
    }

    private static func orderLess(_ number: [UInt8]) -> [UInt8] {
        var result = HandmadeKey.order
        var borrow = 0
        for place in result.indices.reversed() {
            let difference = Int(result[place]) - Int(number[place]) - borrow
            borrow = difference < 0 ? 1 : 0
            result[place] = UInt8(truncatingIfNeeded: difference)
        }
        return result
    }
}

extension JWTSigner {
    /// The only key of the published set.
    fileprivate var key: String { String(publicKeySet.dropFirst(#"{"keys":["#.count).dropLast(2)) }
}
