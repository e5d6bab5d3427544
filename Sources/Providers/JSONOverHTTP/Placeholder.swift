import TidingsCore

/// The meaning of `{{name}}` in a template.
enum Placeholder: Sendable, Hashable {
    case property(Property)
    /// A member of the delivery's data, or of an object in it: `data.order.id`.
    case dataField([String])

    /// A property of the delivery, named as in the templates.
    enum Property: String, CaseIterable, Sendable {
        case id, recipient, tenant, channel, type, category, title, body, data, createdAt, expiresAt, address, idempotencyKey, attempt
        case groupKey, collapseKey, traceparent, silent, badge
    }

    /// - Throws: if the name is unknown. The message suggests the nearest name, or lists all of them.
    init(_ name: String) throws(SettingProblem) {
        if let property = Property(rawValue: name) {
            self = .property(property)
            return
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1, parts[0] == "data" else {
            let known = Property.allCases.map(\.rawValue)
            let hint =
                NearestName.of(name, among: known).map { "did you mean \($0)?" }
                ?? "there are: \(known.joined(separator: ", ")), data.<field>"
            throw SettingProblem("unknown placeholder \"\(name)\"; \(hint)")
        }
        guard !parts.contains("") else { throw SettingProblem("the placeholder \"\(name)\" names no field between two full stops") }
        self = .dataField(Array(parts.dropFirst()))
    }

    /// Whether the placeholder needs the delivery's data parsed.
    var isOfData: Bool {
        switch self {
        case .property(let property): property == .data
        case .dataField: true
        }
    }
}

extension Placeholder: CustomStringConvertible {
    /// The name as written in a template.
    var description: String {
        switch self {
        case .property(let property): property.rawValue
        case .dataField(let path): "data.\(path.joined(separator: "."))"
        }
    }
}
