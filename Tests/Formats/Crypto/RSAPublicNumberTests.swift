import Testing
import TidingsCrypto
import TidingsEncodings

/// RSA public keys that are made from their two numbers, as JSON Web Keys have them.
@Suite struct RSAPublicNumberTests {
    private static let exponent: [UInt8] = [1, 0, 1]

    /// A key of 8192 bits, the longest that is accepted, and its signature over "tidings". Both were made by the Python library
    /// `cryptography`.
    private static let longest = (
        modulus:
            "vei_l83Um39ZW7gG9CmvKq7z5mEGxckMSe0FOx-zez3Li97eRuqsSt_H2GoD7Nh5IuvY7fcD8OOD07t0opGIISGHDVZM-dvP01lOH5O3-cozX0AeGkXjILp572AJaSFyR1sMBJazVrPk1VhVRWEKcaIFTn1Jfers4LnFHbLrtA3Y2HB7dNT3j0AKIonFRKR5xZIE_VITjTWw8MLG3m4mpK-Q5ygnwZ3L51RxNK-itsG2M7DFD1NViXPdve2EpLsXSKl_f7PKcZ54o5cumm_aWooocxVUjtpTfefVmt_rIf7sCm94hynfX7C5TbK0Bw3GiA21ttxqZ1qgyOdb8lsut7IEL0ixTCegIiQextnr7YcXHhJjvR47yNjwte4urphxYKAByLH98Rs4CpHE3_5pdazajuyzj2z2v-sg5Vyr6Ijeh3grZfeBECOA4D3x-yDo2pgl-VbFeDThk84vPm3-UNocGT3ZmIJ9vQbwcWDuLw2iw7_EF6vmGgyG_dOJhMEEBIWmH0GqqqFGgzH1CoS1-aecSAKr1MsrCTtw9fhsWJlCCeesnZ5SnDimg7q_Ff-WTKDfhpyIhSCuwjHFw7HW3l9DQItv6Lza54LglTky7JlKIXVSxAP1q3K-rPnrZOn-LSLDCqLScwoaew4I4nUfyIvp-rXjzM8INUJsagqlrJiGeIs6XNH5Nj55JbH5jMFRnPQcFdBCApjUortrj-ohMwGr6bS_pr8onGPJfhNYksdC8VthfcLT51j3nc_YOJ7M3osO6GR_RYni0RgMnuUGG0rVBwTq5toaoWChe801lJI8pmWAXDlAgnJa6c5LyzvXXYvrZjtHF_4IzxLEyJkXoKQGxOwBHDCN8r9rrkPcuFIWr3T2UwjFhamS2Ul22GAeVK4if_iWoSCLNCRqt5Jl7Jb_qBYff6yGK5aOPdaBoHXLMi3UfznLmEwEpLMxfNp6a-hVZunv1U0yPMvyCvwIRNPffho_cMJK9Dtlfs2B2RjMeh8WOoYj54WGCf9wrgJlA6zZGV3x_2raZ7PGp9TS3biIAyfgRtPLF-PgYOE5paJbQX9haoQsTSshcvvsUrvUoAW661yAguH00mj3tiAyz-LwVfsRJFcbKL0Jfr6haZ3x9OMBajLiH5qOKjF5Bna2vNDwwlv4UVrO-hK-bSUs_CHvcWkBW1kvCYtfUxPfhX2ZYRGdcG_OeSNyDLnPRYPYGfLsWwvRc7QjjZahEf8BkcF95wrCnVBMNIM0IHdQlSKQXQclW2NRpj4X4paVNcGH5ZFhOAhAlOrW395QB1_sjinKq1ACbU-nW3kx56mldllBFKcAiH5bA45OAYPCgUFe_iryWgZ68k8VX1wDcZRB1Q",
        signature:
            "rZRLUQcgb6RgptEmiiAX0B1B8W4gzEb9U2d-NcRreVBxOpUGEl-HSYgYCeprB5_XyYEfcRM2gt_JIXwDui-HANLidGckw2k_12d8jvxsfkLbqrw9W5XK9e0xOYJAZg5172mhNi0rycWs_b1Hyu7U5J1GIYxaAC3rU1tk3BTRsOzYTIGBQ6QSgXZYAi6zvO3RJPQzKaxNnqJyhIG5eSOvCZtdUDxHCjmLH1NqtiAzaULQAXYz4b1dwvp0J6wt2iqJHg4hdOgvje2ZBTiMeXRaWuKwuOJAH5zKCbhWmdH_ndwrZSR4w5yoXshotMG60paHnhDsw0gI7fHhygNZgmOStr70_GeioHSZHyxGvYO3lt32Jut9VhN88MF5QofAp3dtKxHhNjpXMdO8IsHhYVJk8gym9Tobpkj_vbLm6l3MAInNtIolal5RbQaT10PIUgwIXuMuiozZKPyzKRSk0kzk9DA6jmfOkK6qAYcrb1HXLBIbVhqstrYhq0GRJmkoatVBAlRmEWfqqa_nwRAcQLRtwOw5_c4KI-_wScSMF0i8g30PUZT7-TCRIAq4sz8gMZ7sjvoajcqx_slwvPZ1DK82ssjTeNdqNiHs-PtDB48m7OKfYmO_EWg7iYpIuZqxMImOnXXrYbsIqmBWgBkX4KT5gc-QGC2f1TLV2ZRcwOdsgEBkTKmhgCLET-erqyNyfFfaqsA3TNMna_cVqZxYkJeTOU2dQCEsL4dPqTej4slH6zCIqEQmrFAVAL4B0WvfTD2P62xbtzJEmWlhYEueTSais68_i-wriZ0LgxbLKPYyro_cy5bSZ_D-o0jsdzf7PYfktGhpaNqej-LI7-zaBCgyMNouVYvH915U1zH4RlZeTXWY0R7Lz6mHz87m-jw_3u-TSlhYpG_JtAr4RR-458Lf2Wd9R7NzETkwpt9-qa0cTxdG3uruBQSHLwPwv2R3xL_qwNUKO3_o9JBrT51sUhGNsVT_S7JqirbvdThWfVHQDGfJprYkunAlJqqwxD-c_O2_hlqP67KmXF-TjqsJSEr4LrtQjc7UBshZbMLR_NhrMs7KCsD98BBVzZtwEHqqZkwBPiJmhYPGhO3D-QZZNugv_CYSj2nXMvzXjMmFSGCgp4h_sWiqkRIZPCQmDkVSvqIC_xuDI_0XncsI4QDeEjFVukIfmcKYpHdyJWI_ooFjt_dZXomxwwwIi8iB9QT8PPv2bh0ryoel1JRZf_oZncQAlA04N_pl_nmUin0phpTrp9Bs7-196hkUSueF9nQXMRFTtgti3aGako51Ql3F9783dUllPRHdR_n9nttWKfniDzJldOm6uTNE1lp5Du1M3neauMsqq9-WguQ4_gzjPL-uyw"
    )

    @Test func theLongestKeyVerifies() throws {
        let modulus = try #require(Base64URL.decode(Self.longest.modulus))
        let signature = try #require(Base64URL.decode(Self.longest.signature))
        let message = Array("tidings".utf8)
        let key = try RSAPublicKey(modulus: modulus, exponent: Self.exponent)
        #expect(key.verify(signature, of: message))
        #expect(!key.verify(signature, of: message + [0]))
        #expect(!key.verify(signature.flipping(bit: 100), of: message))
        // Zeros in front do not change a number.
        let padded = try RSAPublicKey(modulus: [0] + modulus, exponent: [0, 0] + Self.exponent)
        #expect(padded.verify(signature, of: message))
        // A byte more is beyond the limit.
        #expect(throws: RSAKeyError.tooLong(8_193)) { try RSAPublicKey(modulus: [1] + modulus, exponent: Self.exponent) }
    }

    @Test(arguments: [0, 1, 512, 1_024, 2_047]) func shortNumbersAreRefused(_ bits: Int) {
        #expect(throws: RSAKeyError.tooShort(bits)) { try RSAPublicKey(modulus: Self.modulus(bits), exponent: Self.exponent) }
    }

    @Test func hugeNumbersAreRefused() {
        #expect(throws: RSAKeyError.tooLong(400_000)) { try RSAPublicKey(modulus: Self.modulus(400_000), exponent: Self.exponent) }
    }

    @Test func anEvenModulusIsRefused() {
        let even = Array(Self.modulus(2_048).dropLast()) + [0xFE]
        #expect(throws: RSAKeyError.evenModulus) { try RSAPublicKey(modulus: even, exponent: Self.exponent) }
    }

    /// With the exponent 1 a signature is the padded digest itself.
    @Test(arguments: [[], [0], [1], [0, 0, 1], [2], [1, 0, 0]] as [[UInt8]]) func badPublicNumbersAreRefused(_ exponent: [UInt8]) {
        #expect(throws: RSAKeyError.badExponent) { try RSAPublicKey(modulus: Self.modulus(2_048), exponent: exponent) }
    }

    @Test func longExponentsAreRefused() throws {
        _ = try RSAPublicKey(modulus: Self.modulus(2_048), exponent: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(throws: RSAKeyError.longExponent) { try RSAPublicKey(modulus: Self.modulus(2_048), exponent: [1, 0, 0, 0, 1]) }
    }

    /// An odd number of this length.
    private static func modulus(_ bits: Int) -> [UInt8] {
        guard bits > 0 else { return [] }
        var bytes = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        bytes[0] >>= UInt8(bytes.count * 8 - bits)
        return bytes
    }
}
