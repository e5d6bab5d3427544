import TidingsCore
import TidingsJSON

/// Judges the placeholders of each type's `title`, `body` and `deepLink` against the type's schema, and the names of a silent type's data.
///
/// `tidings catalogue check`, `apply` and `rollback` run these checks. A role that reads an active catalogue does not. A placeholder
/// without a value is shown as nothing, which is no reason to stop every other notification.
struct TemplateChecks {
    private(set) var problems: [CatalogueProblem] = []
    private(set) var warnings: [CatalogueProblem] = []

    /// Most different placeholders of one template. No person reads more, and so few can each be compared with every declared name.
    static let mostPlaceholders = 100

    /// - Parameter gaps: the values that the file's reader reported already. A type whose schema could not be read is not judged.
    init(of catalogue: Catalogue, gaps: CatalogueGaps) {
        for (name, type) in catalogue.types.sorted(by: { $0.key < $1.key }) {
            let schema = type.schemaJSON.flatMap { try? JSON.parse($0) }
            // The reader and the compiler report a schema that cannot be read. There is nothing to compare with then.
            if gaps.hasInside("types.\(name).schema") || type.schemaJSON != nil && schema == nil { continue }
            let declared = schema.map(DeclaredMembers.init)
            for (key, text) in [("title", type.titleTemplate), ("body", type.bodyTemplate), ("deepLink", type.deepLink)] {
                // A part that is no template is reported elsewhere, and does not hide the placeholders before it.
                guard let text else { continue }
                check(Template(readablePartOf: text), at: "types.\(name).\(key)", declared)
            }
            if type.silent, let declared { checkNames(of: declared, at: "types.\(name).schema") }
        }
    }

    /// Names that push services use beside the data of a silent push.
    private static let namesOfServices = ["aps", "ab", "type"]

    private mutating func checkNames(of declared: DeclaredMembers, at path: String) {
        for name in Self.namesOfServices where declared.declares(name) {
            warnings.append(
                CatalogueProblem(
                    path: path, message: "a silent push leaves \"\(name)\" out, because a push service uses the name: give it another one"))
        }
    }

    private mutating func check(_ template: Template, at path: String, _ declared: DeclaredMembers?) {
        var seen: Set<String> = []
        for placeholder in template.fields where seen.insert(placeholder).inserted {
            guard seen.count <= Self.mostPlaceholders else {
                return problems.append(CatalogueProblem(path: path, message: "has more than \(Self.mostPlaceholders) placeholders"))
            }
            if let declared, declared.declares(placeholder) {
                checkDeclared(placeholder, at: path, declared)
            } else {
                checkUndeclared(placeholder, at: path, declared)
            }
        }
    }

    private mutating func checkDeclared(_ placeholder: String, at path: String, _ declared: DeclaredMembers) {
        let types = Self.types(of: declared.schemas[placeholder] ?? nil)
        let shown = types.subtracting(Self.withoutText)
        if !types.isEmpty, shown.isEmpty {
            let list = types.sorted().joined(separator: " or ")
            return add(path, placeholder, "is of type \(list), which is shown as nothing: use a string, number, integer or boolean")
        }
        if !declared.required.contains(placeholder) {
            warn(path, placeholder, "may be empty: the type's schema does not require \"\(placeholder)\"")
        } else if shown.count < types.count {
            warn(
                path, placeholder,
                "may be empty: its value may be \(types.intersection(Self.withoutText).sorted().joined(separator: " or "))")
        }
    }

    private mutating func checkUndeclared(_ placeholder: String, at path: String, _ declared: DeclaredMembers?) {
        if let problem = Self.syntaxProblem(of: placeholder) { return add(path, placeholder, problem) }
        if Self.namesOfEvents.contains(placeholder), declared.map({ $0.isOpen || $0.names.isEmpty }) ?? true {
            return warn(path, placeholder, "is the member \"\(placeholder)\" of data, never the \(placeholder) of the event or delivery")
        }
        guard let declared else { return warn(path, placeholder, "cannot be verified: the type has no schema") }
        guard !declared.isOpen else { return warn(path, placeholder, "cannot be verified: the type's schema names no such member") }
        guard !declared.names.isEmpty else { return warn(path, placeholder, "cannot be verified: the type's schema declares no member") }
        let hint = NearestName.hint(for: placeholder, among: declared.names)
        let known = declared.names.prefix(Self.shownNames).joined(separator: ", ")
        let more = declared.names.count > Self.shownNames ? ", …" : ""
        add(path, placeholder, "is not declared by the type's schema" + (hint.isEmpty ? "; declared: \(known)\(more)" : hint))
    }

    /// Members of the event or delivery that authors of templates take for members of data.
    private static let namesOfEvents: Set = [
        "id", "source", "type", "time", "recipient", "recipients", "tenant", "category", "channel", "channels", "market", "title", "body",
        "groupKey", "collapseKey", "scheduledFor", "expiresAt", "createdAt",
    ]

    /// The number of declared names that a message lists.
    private static let shownNames = 10

    /// Returns why a placeholder can never have a value, or nil for a plain name.
    private static func syntaxProblem(of placeholder: String) -> String? {
        if placeholder.first.map({ "#/^>!&{=".contains($0) }) == true || placeholder == "else"
            || placeholder.contains(where: \.isWhitespace)
        {
            return "is not supported: there are no blocks, conditions or helpers, only {{name}} of a member of data"
        }
        if placeholder.contains(where: { ".[]/".contains($0) }) {
            return "is a path, and paths are not supported: declare a member of its own at the top of data"
        }
        return nil
    }

    /// The JSON types that have no text of their own.
    private static let withoutText: Set = ["array", "null", "object"]

    /// The JSON types that a member's schema lists; empty when the schema does not say.
    private static func types(of schema: JSON?) -> Set<String> {
        switch schema?["type"] {
        case .string(let type)?: [type]
        case .array(let types)?: Set(types.compactMap(\.stringValue))
        default: []
        }
    }

    private mutating func add(_ path: String, _ placeholder: String, _ message: String) {
        problems.append(CatalogueProblem(path: path, message: "{{\(placeholder)}} \(message)"))
    }

    private mutating func warn(_ path: String, _ placeholder: String, _ message: String) {
        warnings.append(CatalogueProblem(path: path, message: "{{\(placeholder)}} \(message)"))
    }
}
