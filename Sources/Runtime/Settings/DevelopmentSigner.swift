import Glibc
import TidingsCore
import TidingsJSON
import TidingsJWT

/// The signer of tokens under `tidings dev`. Its key lies in the folder of the servers, so that `tidings token` finds it there.
package struct DevelopmentSigner: Sendable {
    package static let issuer = "tidings-dev"
    package static let audience = "tidings"

    private let signer: JWTSigner
    /// The file with the public half of the key, which the API reads.
    package let keysFile: String

    /// Reads the key of a home. If there is none, makes one.
    package init(preparing home: String) throws {
        let path = Self.keyFile(home)
        if readFile(path) == nil { try writePrivately(JWTSigner().pem, to: path) }
        self = try DevelopmentSigner(reading: home)
        try writePrivately(signer.publicKeySet, to: keysFile)
    }

    /// Reads the key of a home. Throws a ``Failure`` with exit code 78 if there is none.
    package init(reading home: String) throws {
        let path = Self.keyFile(home)
        guard let pem = readFile(path) else {
            throw Failure(
                .config, "there is no key to sign tokens with in \(home)", hint: "start tidings dev, or name its folder with --home")
        }
        do {
            signer = try JWTSigner(pem: pem)
        } catch {
            throw Failure(.config, "\(path) is no key of tidings dev: \(error)", hint: "delete the file, and tidings dev makes a new one")
        }
        keysFile = home + "/token-keys.json"
    }

    /// A token for a person, valid from now.
    package func token(for recipient: String, tenant: String, validFor duration: Duration) -> String {
        let now = time(nil)
        var claims = JSONObject()
        claims["iss"] = .string(Self.issuer)
        claims["aud"] = .string(Self.audience)
        claims["sub"] = .string(recipient)
        if tenant != Intent.defaultTenant { claims["tenant"] = .string(tenant) }
        claims["iat"] = JSON(integerLiteral: Int64(now))
        claims["exp"] = JSON(integerLiteral: Int64(now) + duration.components.seconds)
        return signer.sign(claims)
    }

    private static func keyFile(_ home: String) -> String { home + "/token-key.pem" }
}
