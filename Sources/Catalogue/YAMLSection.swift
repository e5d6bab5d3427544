import TidingsCore
import Yams

/// A mapping of a YAML file: `key: value` lines.
struct YAMLSection {
    let path: String
    let log: ProblemLog
    /// Members in the order of the file. A member without a value counts as left out.
    let members: [(name: String, value: YAMLValue)]

    init(_ mapping: Node.Mapping, at path: String, _ log: ProblemLog) {
        self.path = path
        self.log = log
        var members: [(name: String, value: YAMLValue)] = []
        for (key, node) in mapping {
            guard case .scalar(let scalar) = key else {
                log.add(path, "a key must be a plain name")
                continue
            }
            guard !scalar.string.utf8.contains(0) else {
                log.add(path, "a key holds a NUL, which PostgreSQL cannot store")
                continue
            }
            members.append((scalar.string, YAMLValue(node, at: path.isEmpty ? scalar.string : "\(path).\(scalar.string)", log)))
        }
        self.members = members
    }

    subscript(name: String) -> YAMLValue? {
        guard let value = members.first(where: { $0.name == name })?.value, !value.isNull else { return nil }
        return value
    }

    /// The text of an optional key. Nil if the key is left out or its text is empty.
    func text(_ name: String) -> String? { self[name]?.text()?.ifPresent }

    /// Returns the section with the keys in `known`, and reports every other key. Without this report a misspelt key would be a setting
    /// that has no effect.
    ///
    /// A misspelt key is read as the nearest known key, unless the section has that key as well. Its value is checked then, and the known
    /// key does not count as missing.
    func keys(_ known: [String]) -> YAMLSection {
        var members = members
        var present = Set(members.map(\.name))
        for (index, (name, value)) in self.members.enumerated() where !known.contains(name) {
            let hint = NearestName.hint(for: name, among: known)
            value.problem("unknown key\(hint.isEmpty ? "." : hint) Known: \(known.joined(separator: ", "))")
            guard let nearest = NearestName.of(name, among: known), present.insert(nearest).inserted else { continue }
            members[index] = (nearest, YAMLValue(value.node, at: path.isEmpty ? nearest : "\(path).\(nearest)", log))
        }
        return YAMLSection(path: path, log: log, members: members)
    }

    private init(path: String, log: ProblemLog, members: [(name: String, value: YAMLValue)]) {
        (self.path, self.log, self.members) = (path, log, members)
    }
}
