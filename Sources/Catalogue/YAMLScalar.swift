import TidingsJSON

/// What an unquoted YAML scalar means: exactly what JSON means by it, and a text otherwise.
///
/// So `no`, `on`, `012` and `1_000` are texts and not, as in YAML 1.1, a truth value or a number: a country code in an `enum` stays one.
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
