internal import CCrypto

extension KeyHandle {
    /// Makes the public key with these numbers, the most significant byte first, without zeros in front. The numbers are not checked.
    ///
    /// The numbers go in as the DER that libcrypto reads, as for private keys of P-256: SubjectPublicKeyInfo (RFC 8017 appendix A.1).
    convenience init?(modulus: [UInt8], exponent: [UInt8]) {
        let key = RSAEncoding.element(0x30, RSAEncoding.integer(modulus) + RSAEncoding.integer(exponent))
        let der = RSAEncoding.element(0x30, RSAEncoding.algorithm + RSAEncoding.element(0x03, [0] + key))
        unsafe self.init {
            unsafe der.withUnsafeBufferPointer { bytes in
                var position = bytes.baseAddress
                return unsafe d2i_PUBKEY(nil, &position, bytes.count)
            }
        }
    }
}

/// The parts of an RSA public key in DER.
private enum RSAEncoding {
    /// The algorithm 1.2.840.113549.1.1.1 without parameters.
    static let algorithm: [UInt8] = [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00]

    /// An integer that is not negative: a zero goes in front if the highest bit is set.
    static func integer(_ number: [UInt8]) -> [UInt8] {
        element(0x02, number.first.map { $0 & 0x80 == 0 } ?? false ? number : [0] + number)
    }

    /// One element: its tag, the length in as few bytes as possible, and the content.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length: [UInt8] = []
        var rest = content.count
        while rest > 0 {
            length.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
