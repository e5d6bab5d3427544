import TidingsEncodings

/// Keys in DER and PEM, put together by hand, so that they can hold numbers that no library writes.
enum HandmadeKey {
    // MARK: Constants of P-256 (FIPS 186-4, D.1.2.3)

    static let order = hexadecimal("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    static let prime = hexadecimal("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
    static let generator = hexadecimal(
        "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
            + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    /// The largest number of 32 bytes.
    static let largest = [UInt8](repeating: 0xFF, count: 32)

    /// A small number as 32 bytes.
    static func small(_ value: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 31) + [value] }

    /// A number near the order. The last byte of the order is 0x51, so no other byte changes.
    static func nearOrder(_ difference: Int) -> [UInt8] { order.dropLast() + [UInt8(0x51 + difference)] }

    static func hexadecimal(_ text: String) -> [UInt8] { Hexadecimal.decode(text) ?? [] }

    // MARK: DER

    /// One element of DER: its tag, the length, and the parts.
    static func der(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] {
        let content = Array(parts.joined())
        let (high, low) = (UInt8(content.count >> 8), UInt8(content.count & 255))
        let length: [UInt8] = content.count < 128 ? [low] : content.count < 256 ? [0x81, low] : [0x82, high, low]
        return [tag] + length + content
    }

    private static let zero: [UInt8] = [0x02, 0x01, 0x00]
    private static let one: [UInt8] = [0x02, 0x01, 0x01]
    private static let ecPublicKey = hexadecimal("06072a8648ce3d0201")
    private static let prime256v1 = hexadecimal("06082a8648ce3d030107")

    /// The algorithm of a key on P-256, by the name of the curve.
    static let namedCurve = der(0x30, ecPublicKey, prime256v1)

    /// The algorithm of a key on a curve that is written out: P-256 with this base point. With a base point of their own choice, attackers
    /// know the private number of any public key (CVE-2020-0601).
    static func writtenCurve(generator: [UInt8]) -> [UInt8] {
        let field = der(0x30, hexadecimal("06072a8648ce3d0101"), der(0x02, [0] + prime))
        let a = hexadecimal("ffffffff00000001000000000000000000000000fffffffffffffffffffffffc")
        let b = hexadecimal("5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b")
        let curve = der(0x30, der(0x04, a), der(0x04, b))
        return der(0x30, ecPublicKey, der(0x30, one, field, curve, der(0x04, generator), der(0x02, [0] + order), one))
    }

    /// A private key as PKCS #8, with the public half if one is given.
    static func pkcs8(_ number: [UInt8], point: [UInt8]? = nil, algorithm: [UInt8] = namedCurve) -> [UInt8] {
        let publicHalf = point.map { der(0xA1, der(0x03, [0] + $0)) } ?? []
        return der(0x30, zero, algorithm, der(0x04, der(0x30, one, der(0x04, number), publicHalf)))
    }

    /// A private key as SEC 1, without the public half.
    static func sec1(_ number: [UInt8]) -> [UInt8] {
        der(0x30, one, der(0x04, number), der(0xA0, prime256v1))
    }

    /// An RSA key of PKCS #1 as PKCS #8.
    static func rsaPKCS8(_ pkcs1: [UInt8]) -> [UInt8] {
        der(0x30, zero, hexadecimal("300d06092a864886f70d0101010500"), der(0x04, pkcs1))
    }

    /// A public key.
    static func publicKey(_ point: [UInt8], algorithm: [UInt8] = namedCurve) -> [UInt8] {
        der(0x30, algorithm, der(0x03, [0] + point))
    }

    // MARK: PEM

    static func pem(_ label: String, _ der: [UInt8]) -> String {
        var lines = ["-----BEGIN \(label)-----"]
        var rest = Base64.encode(der)[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return (lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }

    /// The DER of the only key in a text.
    static func der(ofPEM text: String) -> [UInt8] {
        Base64.decode(text.split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()) ?? []
    }
}
