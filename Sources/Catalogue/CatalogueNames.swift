/// The rules for the names in a catalogue. They make names fit queue names, routing keys, URLs and shells without escaping.
public enum CatalogueNames {
    /// Longest type name in bytes: with its category it must fit a routing key's 255 bytes.
    public static let longestType = 200
    /// Longest name of a market, provider, kind or tenant, in bytes: four parts must fit a queue name's 255 bytes.
    public static let longestName = 64

    static let typeRule = "letters, digits, \"_\", \"-\" and \".\", beginning with a letter, at most \(longestType) long"
    package static let nameRule = "letters, digits, \"_\" and \"-\", at most \(longestName) long"

    /// True for a name that a type may have.
    public static func isType(_ name: String) -> Bool {
        name.utf8.count <= longestType && name.utf8.first.map(isLetter) == true
            && name.utf8.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ".") }
    }

    /// True for a name that a market, a provider or a kind may have.
    public static func isName(_ name: String) -> Bool {
        (1...longestName).contains(name.utf8.count) && name.utf8.allSatisfy(isNameByte)
    }

    /// True for a name that a tenant may have.
    public static func isTenant(_ name: String) -> Bool {
        isName(name)
    }

    /// True for a setting whose value is a secret, judged by its name. The name contains "secret", "password", "token" or "key" and does
    /// not end with "id". The *id* of a key is not secret.
    static func isSecret(_ setting: String) -> Bool {
        let name = setting.lowercased()
        return !name.hasSuffix("id") && ["secret", "password", "token", "key"].contains { name.contains($0) }
    }

    /// True for `env:NAME` and `file:/path`.
    static func isReference(_ value: String) -> Bool {
        if value.hasPrefix("env:") { return value.utf8.count > 4 && value.dropFirst(4).utf8.allSatisfy { isNameByte($0) } }
        return value.hasPrefix("file:/") && value.utf8.count > 6
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
}
