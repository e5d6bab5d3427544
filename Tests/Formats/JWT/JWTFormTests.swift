import Testing
import TidingsCrypto
import TidingsEncodings
import TidingsJSON
import TidingsJWT

/// The form of a token and of its header. All tokens here have a right signature, as far as they can have one.
@Suite struct JWTFormTests {
    private let issuer: TokenIssuer

    init() throws { issuer = try TokenIssuer() }

    // MARK: Parts

    @Test(arguments: ["", ".", "a", "a.b", "....", ".....", "a.b.c.d", "\u{0}", "é", "Bearer"])
    func otherNumbersOfPartsAreRefused(_ token: String) {
        #expect(issuer.refusal(of: token) == (token == "...." ? .encrypted : .notThreeParts))
    }

    @Test func addedAndMissingPartsAreRefused() {
        let token = issuer.token()
        let parts = token.split(separator: ".")
        #expect(issuer.refusal(of: "\(parts[0]).\(parts[1])") == .notThreeParts)
        #expect(issuer.refusal(of: "\(parts[1]).\(parts[2])") == .notThreeParts)
        #expect(issuer.refusal(of: "\(token).") == .notThreeParts)
        #expect(issuer.refusal(of: ".\(token)") == .notThreeParts)
        #expect(issuer.refusal(of: "\(token).\(parts[2])") == .notThreeParts)
        #expect(issuer.refusal(of: "\(token)..") == .encrypted)
        #expect(issuer.refusal(of: "\(parts[0])..\(parts[2])") == .wrongSignature)
        #expect(issuer.refusal(of: ".\(parts[1]).\(parts[2])") == .notJSON(.header, .notJSON))
        #expect(issuer.refusal(of: "\(parts[0]).\(parts[1]).") == .wrongSignature)
        #expect(issuer.refusal(of: "..") == .notJSON(.header, .notJSON))
        #expect(issuer.refusal(of: "Bearer \(token)") == .notBase64URL(.header))
    }

    @Test func everyShorterTokenIsRefused() {
        let token = issuer.token()
        for count in 0..<token.utf8.count { #expect(issuer.refusal(of: String(token.prefix(count))) != nil, "\(count) characters") }
    }

    @Test func theLengthIsLimited() {
        func token(_ filling: Int) -> String {
            issuer.token(payload: TokenIssuer.payload(["filling": "\"\(String(repeating: "a", count: filling))\""]))
        }
        let base = token(0).utf8.count
        let filling = (JWTVerifier.longestToken - base) / 4 * 3
        #expect(issuer.refusal(of: token(filling)) == nil)
        #expect(issuer.refusal(of: token(filling + 8)) == .tooLong)
        #expect(issuer.refusal(of: String(repeating: ".", count: 10_000_000)) == .tooLong)
    }

    // MARK: Base64url

    @Test(arguments: ["=", "==", " ", "\n", "\r\n", "\t", "+", "/", "%3D", "\u{0}", "é", ",", "*"])
    func nothingElseThanBase64URLIsAccepted(_ text: String) {
        let parts = issuer.token().split(separator: ".").map(String.init)
        for (place, part) in [JWTPart.header, .payload, .signature].enumerated() {
            for changed in [parts[place] + text, text + parts[place], String(parts[place].prefix(8) + text + parts[place].dropFirst(8))] {
                var copy = parts
                copy[place] = changed
                #expect(issuer.refusal(of: copy.joined(separator: ".")) == .notBase64URL(part))
            }
        }
    }

    /// The lowest bits of the last character are no part of the bytes. A second spelling would pass by a list of revoked tokens.
    @Test func strayBitsAreRefused() {
        let token = issuer.token()
        // 64 bytes are 86 characters, the last with four bits too many.
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let others = alphabet.filter { $0 != token.last }
        var strays = 0
        for character in others {
            switch issuer.refusal(of: String(token.dropLast()) + String(character)) {
            case .notBase64URL(.signature): strays += 1
            case .wrongSignature: break
            case let other: Issue.record("\(character): \(String(describing: other))")
            }
        }
        #expect(strays == 60)
    }

    // MARK: JSON

    /// A member that occurs twice is read as its first by some and as its last by others.
    @Test func duplicateMembersAreRefused() {
        for header in [
            #"{"alg":"none","alg":"ES256","kid":"ec"}"#, #"{"alg":"ES256","kid":"ec","kid":"other"}"#,
            #"{"alg":"ES256","kid":"ec","\u0061lg":"none"}"#, #"{"alg":"ES256","kid":"ec","jwk":{"a":1,"a":1}}"#,
        ] {
            #expect(issuer.refusal(of: issuer.token(header: header)) == .notJSON(.header, .duplicateKey))
        }
        let good = TokenIssuer.payload().dropLast()
        for member in [#""exp":1800000000"#, #""exp":9999999999"#, #""sub":"p-8""#, #""\u0073ub":"p-8""#, #""x":{"a":1,"a":2}"#] {
            #expect(issuer.refusal(of: issuer.token(payload: good + ",\(member)}")) == .notJSON(.payload, .duplicateKey))
        }
    }

    @Test(arguments: [
        "", "{", "[]", "\"\"", "null", "1", "{}{}", "{} ", "{'alg':'ES256'}", "\u{FEFF}{}", "NaN", #"{"a":01}"#, #"{"a":1,}"#,
    ])
    func otherDocumentsAreRefused(_ text: String) {
        let bad = [issuer.refusal(of: issuer.token(header: text)), issuer.refusal(of: issuer.token(payload: text))]
        switch text {
        case "[]", "\"\"", "null", "1", "NaN": #expect(bad == [.notAnObject(.header), .notAnObject(.payload)])
        case "{} ", "\u{FEFF}{}": #expect(bad == [.algorithmNotAllowed, .noExpiry])
        case "{}{}": #expect(bad == [.notJSON(.header, .trailingContent), .notJSON(.payload, .trailingContent)])
        default: #expect(bad == [.notJSON(.header, .notJSON), .notJSON(.payload, .notJSON)])
        }
    }

    @Test func bytesThatAreNotTextAreRefusedInAMemberThatIsRead() {
        func refusal(_ header: [UInt8], _ payload: [UInt8]) -> JWTError? {
            let signed = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
            return issuer.refusal(of: "\(signed).\(Base64URL.encode(issuer.sign(Array(signed.utf8), by: .es256)))")
        }
        let (header, payload) = (Array(TokenIssuer.header().utf8), Array(TokenIssuer.payload().utf8))
        #expect(refusal(header, payload) == nil)
        let (withoutKey, withoutPerson) = (Array(#"{"alg":"ES256"}"#.utf8), Array(TokenIssuer.payload(["sub": nil]).utf8))
        // A byte that is no UTF-8, a surrogate in three bytes, `/` in two bytes, and U+0000 as a byte and as an escape.
        for bytes in [[0xFF], [0xED, 0xA0, 0x80], [0xC0, 0xAF], [0], Array(#"\u0000"#.utf8)] as [[UInt8]] {
            func member(_ name: String) -> [UInt8] { Array(",\"\(name)\":\"".utf8) + bytes + Array(#""}"#.utf8) }
            #expect(refusal(header.dropLast() + member("a"), payload) == nil)
            #expect(refusal(header, payload.dropLast() + member("a")) == nil)
            #expect(refusal(withoutKey.dropLast() + member("kid"), payload) == .unusableKeyID)
            #expect(refusal(header, withoutPerson.dropLast() + member("sub")) == .unusableClaim(.subject))
        }
    }

    @Test func deepNestingIsRefused() {
        let deep = String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000)
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"ec","a":\#(deep)}"#)) == .notJSON(.header, .tooDeep))
        #expect(issuer.refusal(of: issuer.token(payload: TokenIssuer.payload(["a": deep]))) == .notJSON(.payload, .tooDeep))
    }

    // MARK: Header

    /// `application/` may be left out: RFC 7515 section 4.1.9.
    @Test(arguments: [
        "JWT", "jwt", "Jwt", "at+jwt", "AT+JWT", "At+Jwt", "application/jwt", "application/at+jwt", "Application/AT+JWT",
    ])
    func typesOfTokensAreAccepted(_ type: String) {
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"ec","typ":"\#(type)"}"#)) == nil)
    }

    /// Other kinds of tokens have the same form and the same keys: RFC 8725 section 3.11.
    @Test(arguments: [
        #""""#, #""JOSE""#, #""JWE""#, #""secevent+jwt""#, #""logout+jwt""#, #""dpop+jwt""#, #""id+jwt""#,
        #""application/""#, #""application/dpop+jwt""#, #""text/jwt""#, #""application/application/jwt""#,
        #"" JWT""#, #""JWT ""#, "null", "1", "[]", #"["JWT"]"#,
    ])
    func otherTypesAreRefused(_ type: String) {
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"ec","typ":\#(type)}"#)) == .wrongType)
    }

    @Test(arguments: [
        (#""crit":["exp"],"exp":1"#, JWTError.criticalExtension), (#""crit":[]"#, .criticalExtension),
        (#""crit":null"#, .criticalExtension),
        (#""crit":["b64"],"b64":false"#, .criticalExtension), (#""b64":false"#, .unencodedPayload), (#""b64":null"#, .unencodedPayload),
        (#""b64":"true""#, .unencodedPayload), (#""b64":0"#, .unencodedPayload), (#""cty":"JWT""#, .nested), (#""cty":"at+jwt""#, .nested),
        (#""enc":"A128GCM""#, .encrypted),
    ])
    func membersThatChangeTheMeaningAreRefused(_ members: String, _ reason: JWTError) {
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"ec",\#(members)}"#)) == reason)
    }

    @Test func membersWithoutMeaningHereAreIgnored() {
        #expect(issuer.refusal(of: issuer.token(header: #"{"alg":"ES256","kid":"ec","b64":true,"nonce":"x","zip":1,"exp":0}"#)) == nil)
    }

    /// The text of an error may be sent to the caller.
    @Test func descriptionsHoldNothingOfTheToken() {
        let word = "SECRETWORD"
        let tokens = [
            word, "\(word).\(word).\(word)", issuer.token(header: #"{"alg":"\#(word)"}"#),
            issuer.token(header: #"{"alg":"ES256","kid":"\#(word)"}"#), issuer.token(header: #"{"alg":"ES256","typ":"\#(word)"}"#),
            issuer.token(header: #"{"alg":"ES256","\#(word)":1,"\#(word)":1}"#),
            issuer.token(payload: #"{"\#(word)":1,"\#(word)":1}"#), issuer.token(payload: TokenIssuer.payload(["iss": #""\#(word)""#])),
            issuer.token(payload: TokenIssuer.payload(["aud": #""\#(word)""#])),
            issuer.token(payload: TokenIssuer.payload(["exp": #""\#(word)""#])),
        ]
        for token in tokens {
            guard let error = issuer.refusal(of: token) else {
                Issue.record("accepted: \(token)")
                continue
            }
            #expect(!"\(error) \(String(reflecting: error))".contains(word))
        }
    }
}
