import Testing
import TidingsCrypto
import TidingsEncodings
import TidingsJWT

/// Sets of keys as issuers publish them, and as they should not.
@Suite struct JSONWebKeySetTests {
    private func read(_ keys: String...) throws -> JSONWebKeySet {
        try JSONWebKeySet(Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8))
    }

    /// One of the sample keys with more members.
    private func key(_ sample: String, _ members: String) -> String { sample.dropLast() + ",\(members)}" }

    @Test func allThreeKindsAreRead() throws {
        let set = try JSONWebKeySet(Array(SampleKeys.set.utf8))
        #expect(set.keys.map(\.id) == ["ec", "rsa", "ed"])
        #expect(set.keys.map(\.algorithm) == [.es256, .rs256, .edDSA])
        #expect(set.refused == [])
        #expect(try read().keys.isEmpty)
    }

    /// The example of RFC 7638 section 3.1. Members that do not make the key change nothing, and neither does another name.
    @Test func theThumbprintIsThatOfTheStandard() throws {
        let modulus =
            "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W"
            + "-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08q"
            + "NLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
        let set = try read(
            #"{"kty":"RSA","n":"\#(modulus)","e":"AQAB","alg":"RS256","kid":"2011-04-29"}"#,
            #"{"kid":"b","e":"AQAB","n":"\#(modulus)","kty":"RSA"}"#, SampleKeys.ec)
        let thumbprints = set.keys.map { Base64URL.encode($0.thumbprint) }
        #expect(thumbprints.prefix(2).allSatisfy { $0 == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs" } && thumbprints.count == 3)
        #expect(Set(thumbprints).count == 2)
        let signer = JWTSigner()
        let own = try JSONWebKeySet(Array(signer.publicKeySet.utf8))
        #expect(own.keys.map { Base64URL.encode($0.thumbprint) } == [signer.keyID])
    }

    @Test func anIDIsOptional() throws {
        let set = try read(
            SampleKeys.ec.replacing(#","kid":"ec""#, with: ""), SampleKeys.rsa.replacing(#","kid":"rsa""#, with: ""), SampleKeys.ed)
        #expect(set.keys.map(\.id) == [nil, nil, "ed"])
    }

    @Test(arguments: [
        (SampleKeys.ec, #""use":"sig","alg":"ES256","key_ops":["verify"]"#),
        (SampleKeys.rsa, #""use":"sig","alg":"RS256","key_ops":["verify","encrypt"],"x5c":["MIIB"],"x5t":"AA""#),
        (SampleKeys.ed, #""use":"sig","alg":"EdDSA","other":{"a":[1]}"#),
    ])
    func matchingMembersAreAccepted(_ sample: String, _ members: String) throws {
        let set = try read(key(sample, members))
        #expect(set.keys.count == 1)
        #expect(set.refused == [])
    }

    @Test(arguments: [
        #"{"kty":"oct","k":"c2VjcmV0","kid":"a"}"#, #"{"kty":"AKP","kid":"a"}"#, #"{"kty":"ec"}"#, "{}", #"{"kty":""}"#,
        #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#, #"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#, #"{"kty":"EC"}"#,
        #"{"kty":"OKP","crv":"X25519","x":"AA"}"#, #"{"kty":"OKP","crv":"Ed448","x":"AA"}"#,
    ])
    func otherKindsAreSkipped(_ text: String) throws {
        let set = try read(text, SampleKeys.rsa)
        #expect(set.keys.map(\.id) == ["rsa"])
        #expect(set.refused == [])
    }

    @Test(arguments: [
        (SampleKeys.ec, #""use":"enc""#), (SampleKeys.ec, #""use":"""#), (SampleKeys.rsa, #""use":"enc""#),
        (SampleKeys.ec, #""alg":"ES384""#),
        (SampleKeys.rsa, #""alg":"PS256""#), (SampleKeys.rsa, #""alg":"RSA-OAEP""#), (SampleKeys.rsa, #""alg":"HS256""#),
        (SampleKeys.ec, #""alg":"RS256""#), (SampleKeys.rsa, #""alg":"ES256""#), (SampleKeys.ed, #""alg":"ES256""#),
        (SampleKeys.ec, #""key_ops":["sign"]"#), (SampleKeys.ec, #""key_ops":[]"#),
    ])
    func otherPurposesAndAlgorithmsAreSkipped(_ sample: String, _ members: String) throws {
        let set = try read(key(sample, members))
        #expect(set.keys.isEmpty)
        #expect(set.refused == [])
    }

    @Test(arguments: ["d", "p", "q", "dp", "dq", "qi", "oth"]) func privateKeysAreRefused(_ name: String) throws {
        for sample in [SampleKeys.ec, SampleKeys.rsa, SampleKeys.ed, key(SampleKeys.ec, #""use":"enc""#)] {
            let set = try read(#"{"kty":"oct"}"#, key(sample, #""\#(name)":"SECRETWORD""#))
            #expect(set.keys.isEmpty)
            #expect(set.refused.map(\.problem) == [.privateMember(name)])
            let text = set.refused.map(\.description).joined()
            #expect(text.contains("\"\(name)\"") && text.contains("key 2 ") && !text.contains("SECRETWORD"))
        }
    }

    /// One mistake of the issuer does not lock everybody out.
    @Test func goodKeysBesideARefusedOneRemain() throws {
        let set = try read(#"{"kty":"EC","crv":"P-256","kid":"ec"}"#, "1", SampleKeys.rsa, SampleKeys.ec)
        #expect(set.keys.map(\.id) == ["rsa", "ec"])
        #expect(set.refused.map(\.position) == [0, 1])
        #expect(set.refused.map(\.problem) == [.unusableMember("x"), .notAnObject])
    }

    @Test(arguments: [
        ("kty", "1"), ("kid", "1"), ("kid", "null"), ("kid", #""""#), ("use", "1"), ("alg", "[]"), ("key_ops", #""verify""#), ("crv", "1"),
        ("x", "null"), ("x", #""""#), ("x", #""AA""#), ("y", "1"), ("y", #""\#(SampleKeys.ecY)=""#), ("y", #"" \#(SampleKeys.ecY)""#),
        ("y", #""AP\#(SampleKeys.ecY)""#),
    ])
    func unusableMembersAreRefused(_ name: String, _ value: String) throws {
        var members = [("kty", #""EC""#), ("crv", #""P-256""#), ("x", #""\#(SampleKeys.ecX)""#), ("y", #""\#(SampleKeys.ecY)""#)]
        members.removeAll { $0.0 == name }
        let set = try read("{\((members + [(name, value)]).map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}")
        #expect(set.keys.isEmpty)
        #expect(set.refused.map(\.problem) == [.unusableMember(name)])
    }

    @Test func longIDsAreRefused() throws {
        let id = String(repeating: "a", count: 255)
        let set = try read(#"{"kty":"OKP","crv":"Ed25519","x":"\#(SampleKeys.edX)","kid":"\#(id)"}"#)
        #expect(set.keys.map(\.id) == [id])
        let longer = try read(#"{"kty":"OKP","crv":"Ed25519","x":"\#(SampleKeys.edX)","kid":"\#(id)a"}"#)
        #expect(longer.refused.map(\.problem) == [.unusableMember("kid")])
    }

    // MARK: Numbers

    @Test func pointsOutsideTheCurveAreRefused() throws {
        for (x, y) in [
            (SampleKeys.ecY, SampleKeys.ecX), (SampleKeys.ecX, SampleKeys.ecX),
            (Base64URL.encode([UInt8](repeating: 0, count: 32)), Base64URL.encode([UInt8](repeating: 0, count: 32))),
            (Base64URL.encode(HandmadeKey.prime), SampleKeys.ecY),
        ] {
            let set = try read(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#)
            #expect(set.refused.map(\.problem) == [.p256(.notOnTheCurve)])
        }
        // A byte that moves from one coordinate to the other leaves the length of the point as it was.
        let bytes = try #require(Base64URL.decode(SampleKeys.ecX)) + #require(Base64URL.decode(SampleKeys.ecY))
        let (x, y) = (Base64URL.encode(bytes.prefix(31)), Base64URL.encode(bytes.dropFirst(31)))
        #expect(try read(#"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#).refused.map(\.problem) == [.unusableMember("x")])
    }

    @Test func weakRSAKeysAreRefused() throws {
        func problems(_ modulus: [UInt8], _ exponent: [UInt8]) throws -> [JSONWebKeyProblem] {
            try read(#"{"kty":"RSA","n":"\#(Base64URL.encode(modulus))","e":"\#(Base64URL.encode(exponent))"}"#).refused.map(\.problem)
        }
        let modulus = try #require(Base64URL.decode(SampleKeys.rsaModulus))
        #expect(try problems(modulus, [1, 0, 1]) == [])
        #expect(try problems([UInt8](repeating: 0xFF, count: 128), [1, 0, 1]) == [.rsa(.tooShort(1_024))])
        #expect(try problems([0x7F] + [UInt8](repeating: 0xFF, count: 255), [1, 0, 1]) == [.rsa(.tooShort(2_047))])
        #expect(try problems([UInt8](repeating: 0xFF, count: 1_025), [1, 0, 1]) == [.rsa(.tooLong(8_200))])
        #expect(try problems(modulus, [1]) == [.rsa(.badExponent)])
        #expect(try problems(modulus, []) == [.rsa(.badExponent)])
        #expect(try problems([], [1, 0, 1]) == [.rsa(.tooShort(0))])
        #expect(try read(#"{"kty":"RSA","e":"AQAB"}"#).refused.map(\.problem) == [.unusableMember("n")])
        #expect(try read(#"{"kty":"RSA","n":"\#(SampleKeys.rsaModulus)"}"#).refused.map(\.problem) == [.unusableMember("e")])
    }

    @Test func weakEd25519KeysAreRefused() throws {
        func problems(_ point: [UInt8]) throws -> [JSONWebKeyProblem] {
            try read(#"{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(point))"}"#).refused.map(\.problem)
        }
        #expect(try problems([UInt8](repeating: 0, count: 32)) == [.ed25519(.smallOrder)])
        #expect(try problems([UInt8](repeating: 0xFF, count: 32)) == [.ed25519(.notCanonical)])
        #expect(try problems([UInt8](repeating: 1, count: 31)) == [.ed25519(.wrongLength(31, of: 32))])
        #expect(try problems([]) == [.ed25519(.wrongLength(0, of: 32))])
    }

    // MARK: The set

    @Test func anIDBelongsToOneKey() throws {
        let other = SampleKeys.rsa.replacing(#""kid":"rsa""#, with: #""kid":"ec""#)
        #expect(throws: JSONWebKeySetError.duplicateID(position: 1)) { try read(SampleKeys.ec, other) }
        #expect(throws: JSONWebKeySetError.duplicateID(position: 2)) { try read(SampleKeys.ec, SampleKeys.ed, SampleKeys.ec) }
        // A key that is skipped verifies nothing, so no token can be meant for it.
        #expect(try read(SampleKeys.ec, key(other, #""use":"enc""#)).keys.count == 1)
        // The two spellings of é are two ids.
        let accents = try read(
            SampleKeys.ec.replacing(#""kid":"ec""#, with: "\"kid\":\"\u{E9}\""),
            SampleKeys.ed.replacing(#""kid":"ed""#, with: "\"kid\":\"e\u{301}\""))
        #expect(accents.keys.count == 2)
    }

    /// A text that nobody reads does no harm.
    @Test(arguments: [#""owner":"Anna \ud83d""#, #""note":"a\u0000b""#, #""x5t":{"\ud800":"\udc00"}"#, "\"note\":\"a\nb\"", #""n2":NaN"#])
    func aTextThatIsNotReadDoesNotMatter(_ members: String) throws {
        let set = try read(key(SampleKeys.ec, members), SampleKeys.rsa)
        #expect(set.keys.map(\.id) == ["ec", "rsa"])
        #expect(set.refused == [])
        let latin1 = Array(#"{"issuer":"Jos"#.utf8) + [0xE9] + Array("\",\(SampleKeys.set.dropFirst())".utf8)
        #expect(try JSONWebKeySet(latin1).keys.count == 3)
        #expect(try JSONWebKeySet([0xEF, 0xBB, 0xBF] + Array(SampleKeys.set.utf8)).keys.count == 3)
    }

    /// A text that is read and cannot be kept costs its own key, and no other.
    @Test(arguments: ["kid", "use", "alg", "x"])
    func aTextThatCannotBeKeptCostsItsKey(_ name: String) throws {
        let plain = SampleKeys.ec.replacing(#","kid":"ec""#, with: "").replacing(name == "x" ? SampleKeys.ecX : "none", with: #"\ud83d"#)
        let set = try read(name == "x" ? plain : key(plain, #""\#(name)":"\ud83d""#), SampleKeys.rsa)
        #expect(set.keys.map(\.id) == ["rsa"])
        #expect(set.refused.map(\.problem) == [.unusableMember(name)] && set.refused.first?.position == 0)
    }

    @Test func aSetIsLimited() throws {
        let skipped = [String](repeating: #"{"kty":"oct"}"#, count: 64).joined(separator: ",")
        #expect(try read(skipped).keys.isEmpty)
        #expect(throws: JSONWebKeySetError.tooManyKeys(65)) { try read(skipped, SampleKeys.ec) }
        let padding = String(repeating: " ", count: 65_536 - SampleKeys.set.utf8.count)
        #expect(try JSONWebKeySet(Array((SampleKeys.set + padding).utf8)).keys.count == 3)
        #expect(throws: JSONWebKeySetError.tooLong) { try JSONWebKeySet(Array((SampleKeys.set + padding + " ").utf8)) }
    }

    @Test(arguments: ["[]", "1", "null", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"Keys":[]}"#, SampleKeys.ec])
    func otherDocumentsAreNoSet(_ text: String) {
        #expect(throws: JSONWebKeySetError.notASet) { try JSONWebKeySet(Array(text.utf8)) }
    }

    @Test(arguments: ["", "{", "<html></html>", #"{"keys":[],"keys":[]}"#, #"{"keys":[{"kty":"EC","kty":"RSA"}]}"#])
    func otherTextsAreNoJSON(_ text: String) {
        let error = #expect(throws: JSONWebKeySetError.self) { try JSONWebKeySet(Array(text.utf8)) }
        guard case .notJSON = error else {
            Issue.record("\(text): \(String(describing: error))")
            return
        }
    }
}
