import Testing
import TidingsCore

@Suite struct SendResultTests {
    @Test func detailIsShortAndPrintable() {
        #expect(SendResult(.endpointGone, status: 410, detail: "gone\r\n\u{1B}[31mnow\0").detail == "gone   [31mnow ")
        #expect(SendResult(.endpointGone, detail: "left\u{202E}right\u{2028}").detail == "left right ")
        #expect(SendResult(.endpointGone, detail: "").detail == nil)
        #expect(SendResult(.endpointGone).detail == nil)
        let long = SendResult(.endpointGone, detail: String(repeating: "é", count: 1_000)).detail
        #expect(long == String(repeating: "é", count: 250))
        #expect(SendResult(.endpointGone, detail: "x" + String(repeating: "é", count: 1_000)).detail?.utf8.count == 499)
    }

    @Test func aNoteStandsFirstAndIsNeverCut() {
        let accepted = SendResult(.accepted(providerMessageID: "1", delivered: false), status: 200)
        #expect(accepted.noting(nil) == accepted)
        #expect(accepted.noting("the body was shortened").detail == "the body was shortened")
        let refused = SendResult(.rejected(.providerRejected), detail: String(repeating: "x", count: 1_000)).noting("a note")
        #expect(refused.detail?.hasPrefix("a note; xxx") == true && refused.detail?.utf8.count == SendResult.longestDetail)
        #expect(refused.outcome == .rejected(.providerRejected))
    }

    // MARK: Secrets

    private static let key = "s3cr3t-key/0+1="
    private static let pem = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqG\nSM49AwEHBG0wawIB\n-----END PRIVATE KEY-----\n"

    private func hidden(_ text: String, _ secrets: String...) -> String? {
        SendResult(.rejected(.providerRejected), detail: text).hiding(secrets).detail
    }

    @Test(
        arguments: [
            // Secrets as they stand, and in the forms in which a service may repeat them.
            ("the key is s3cr3t-key/0+1=", key, "the key is …"), ("s3cr3t-key/0+1=", key, "…"),
            ("S3CR3T-KEY/0+1= s3cr3t-key/0+1=", key, "… …"), ("s3cr3t-key%2F0%2b1%3D!", key, "…!"),
            (#"{"key":"s3cr3t-key\/0+1="}"#, key, #"{"key":"…"}"#), (#"s3cr3t-key\u002f0\u002B1="#, key, "…"),
            ("path /a%20b%2Fc/token", "a b/c/token", "path /…"), ("an é%C3%A9\\u00e9 here", "ééé-", "an é%C3%A9\\u00e9 here"),
            ("an é%C3%A9\\u00e9 here", "éÉÉ", "an é%C3%A9\\u00e9 here"), ("an é%C3%A9\\u00e9 here", "ééé", "an … here"),
            // A combining accent behind a secret does not hide the secret from the search.
            ("token-1234\u{301} is bad", "token-1234", "…\u{301} is bad"),
            // Secrets of several words or lines.
            ("Bearer abcd-efgh", "Bearer abcd-efgh", "…"), ("token abcd-efgh", "Bearer abcd-efgh", "token …"),
            ("Bearer of news", "Bearer abcd-efgh", "Bearer of news"), ("got\nMIGHAgEAMBMGByqG\nand more", pem, "got … and more"),
            (#"{"k":"-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqG\nSM49"}"#, pem, #"{"k":"-----BEGIN PRIVATE KEY-----\n…\nSM49"}"#),
            // Texts without a secret, and secrets that are too short.
            ("", key, nil), ("nothing to hide", key, "nothing to hide"), ("nothing to hide", "", "nothing to hide"),
            ("open the door", "open ", "open the door"), ("a 12345", "12345", "a 12345"), ("a 123456", "123456", "a …"),
            ("50% off", "50% off", "…"), ("100% and %zz \\q", key, "100% and %zz \\q"),
            // Texts that break off within a secret.
            ("it ends with s3cr3t-k", key, "it ends with …"), ("it ends with s3cr", key, "it ends with …"),
            ("it ends with s3c", key, "it ends with s3c"),
        ] as [(String, String, String?)])
    func secretsAreHidden(_ text: String, _ secret: String, _ told: String?) {
        #expect(hidden(text, secret) == told)
    }

    /// Secrets that overlap or contain each other are hidden completely.
    @Test func overlappingSecretsAreHiddenWhole() {
        #expect(hidden("x abcdefghijkl y", "abcdef", "abcdefghijkl") == "x … y")
        #expect(hidden("x abcdefghijkl y", "abcdefgh", "efghijkl") == "x … y")
        #expect(hidden("abababababab", "ababab") == "…")
        #expect(hidden("x aabaabaaab y", "aabaaab") == "x aab… y")
    }

    /// Secrets are hidden before the detail is cut. Otherwise half a secret could stay at the end, and text behind many secrets would be
    /// lost.
    @Test func secretsAreHiddenBeforeTheCut() {
        for before in (SendResult.longestDetail - 20)...SendResult.longestDetail {
            let padding = String(repeating: "x", count: before)
            let detail = hidden("\(padding)\(Self.key) and more", Self.key)
            #expect(detail == SendResult(.endpointGone, detail: "\(padding)… and more").detail)
        }
        let many = String(repeating: "\(Self.key) ", count: 50)
        #expect(hidden("\(many)at last", Self.key)?.hasSuffix("at last") == true)
    }

    /// Text behind the first `SendResult.longestSaid` bytes is dropped, together with the half of a secret that may stand at the edge.
    @Test func theEndOfWhatIsLookedAtIsHidden() {
        let count = SendResult.longestSaid / (Self.key.utf8.count + 1)
        for more in 0...Self.key.utf8.count {
            let text = String(repeating: "-", count: more) + String(repeating: "\(Self.key)\u{1}", count: count + 2)
            let detail = SendResult(.rejected(.providerRejected), detail: text).hiding([Self.key]).detail
            #expect(detail?.contains("s3cr") == false)
        }
    }

    @Test func theRestOfTheResultStays() {
        let result = SendResult(.endpointGone, status: 410, detail: "gone", goneSince: Timestamp(seconds: 7))
        #expect(result.hiding([Self.key]) == result)
        #expect(SendResult(.endpointGone).hiding([Self.key]).detail == nil)
        #expect(result.hiding(["gone"]) == result, "too short to be a secret")
    }

    @Test func anIDHoldsNoSecretEither() {
        let result = SendResult(.accepted(providerMessageID: "m/\(Self.key)", delivered: true)).hiding([Self.key])
        #expect(result.outcome == .accepted(providerMessageID: "m/…", delivered: true))
        let other = SendResult(.accepted(providerMessageID: "m/1", delivered: false))
        #expect(other.hiding([Self.key]) == other)
    }
}
