import TidingsJSON

/// The meaning of an unquoted YAML scalar: the same as in JSON, and a text if it is not JSON.
///
/// So `no`, `on`, `012` and `1_000` are texts, and not truth values or numbers as in YAML 1.1. A country code in an `enum` stays a country
/// code.
enum YAMLScalar: Hashable {
    case null
    case bool(Bool)
    case number(String)
    case text(String)

    init(plain text: String) {
        switch text {
        case "", "~", "null": self = .null
        case "true": self = .bool(true)
        case "false": self = .bool(false)
        default: self = JSONNumber(text: text) == nil ? .text(text) : .number(text)
        }
    }
}
