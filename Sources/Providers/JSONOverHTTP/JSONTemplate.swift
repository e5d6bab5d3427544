import TidingsJSON

/// A JSON document with placeholders in its texts. The document is a tree, and values are inserted into its leaves. No value can therefore
/// break the JSON or add a member.
enum JSONTemplate: Sendable {
    /// A part without placeholders.
    case constant(JSON)
    /// A text that was exactly one placeholder. The value keeps its own JSON type; an absent value becomes null.
    case value(Placeholder)
    /// A longer text. Values are inserted as text.
    case text(ValueTemplate)
    case array([JSONTemplate])
    case object([Member])

    struct Member: Sendable {
        let name: String
        let value: JSONTemplate
    }

    /// Reads the text of a setting. An error of the JSON names the line and the column.
    init(parsing text: String) throws(SettingProblem) {
        let json: JSON
        do throws(JSONParseError) {
            json = try JSON.parse(text)
        } catch {
            throw SettingProblem(Self.words(for: error, in: text))
        }
        self = try JSONTemplate(json)
    }

    private init(_ json: JSON) throws(SettingProblem) {
        switch json {
        case .null, .bool, .number: self = .constant(json)
        case .string(let text):
            let template = try ValueTemplate(text)
            self = template.placeholders.isEmpty ? .constant(json) : template.whole.map { .value($0) } ?? .text(template)
        case .array(let elements):
            var templates: [JSONTemplate] = []
            for element in elements { templates.append(try JSONTemplate(element)) }
            self = .array(templates)
        case .object(let object):
            var members: [Member] = []
            for entry in object.entries {
                guard !entry.key.contains("{{") else {
                    throw SettingProblem("the member name \"\(entry.key)\" holds a placeholder: only values may")
                }
                members.append(Member(name: entry.key, value: try JSONTemplate(entry.value)))
            }
            self = .object(members)
        }
    }

    var placeholders: [Placeholder] {
        switch self {
        case .constant: []
        case .value(let placeholder): [placeholder]
        case .text(let template): template.placeholders
        case .array(let elements): elements.flatMap(\.placeholders)
        case .object(let members): members.flatMap(\.value.placeholders)
        }
    }

    func write(_ values: DeliveryValues, to json: inout JSONWriter) {
        switch self {
        case .constant(let value): json.value(value)
        case .value(let placeholder): json.value(values.value(of: placeholder) ?? .null)
        case .text(let template): json.string(template.render(values))
        case .array(let elements):
            json.beginArray()
            for element in elements { element.write(values, to: &json) }
            json.endArray()
        case .object(let members):
            json.beginObject()
            for member in members {
                json.key(member.name)
                member.value.write(values, to: &json)
            }
            json.endObject()
        }
    }

    /// Returns the error in words. Lines and columns count from 1, columns in code points.
    private static func words(for error: JSONParseError, in text: String) -> String {
        let before = String(decoding: text.utf8.prefix(error.offset), as: UTF8.self).unicodeScalars
        let line = before.count { $0 == "\n" } + 1
        let column = before.reversed().prefix { $0 != "\n" }.count + 1
        let rest = text.utf8.dropFirst(max(0, error.offset - 1))
        let hint = rest.starts(with: "{{".utf8) ? "; a placeholder stands in quotes, also for a number or an object" : ""
        return "not JSON at line \(line), column \(column): \(error.message)\(hint)"
    }
}
