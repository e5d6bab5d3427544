import TidingsEncodings

/// A text with `{{placeholders}}`, compiled before the first delivery: an unknown placeholder is an error of the setting.
struct ValueTemplate: Sendable, Hashable {
    private let template: PlaceholderText<Placeholder>
    /// The placeholders in order of appearance.
    let placeholders: [Placeholder]

    init(_ text: String) throws(SettingProblem) {
        template = try PlaceholderText(setting: text) { (name: String) throws(SettingProblem) -> Placeholder in try Placeholder(name) }
        placeholders = template.names
    }

    /// The placeholder, if the text is exactly one placeholder; otherwise nil.
    var whole: Placeholder? { template.parts.count == 1 ? placeholders.first : nil }

    /// The text without its placeholders.
    var literal: String { template.render { _ in "" } }

    /// Returns the text with each placeholder replaced by the encoded text of its value. Placeholders inside a value are not replaced.
    func render(_ values: DeliveryValues, encoding: (String) -> String = { $0 }) -> String {
        template.render({ values.text(of: $0) }, escaping: encoding)
    }
}

/// Percent-encodes every byte of UTF-8 that is not an unreserved character of RFC 3986 section 2.3: `%` and two hexadecimal digits. The
/// value therefore stays within its part of a URL or form.
func percentEncoded(_ text: String) -> String {
    percentEncoded(text) { ASCII.isLetterOrDigit($0) || "-._~".utf8.contains($0) }
}

/// Percent-encodes every byte of UTF-8 that is not kept: `%` and two hexadecimal digits.
func percentEncoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
        if isKept(byte) {
            bytes.append(byte)
        } else {
            bytes.append(UInt8(ascii: "%"))
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
