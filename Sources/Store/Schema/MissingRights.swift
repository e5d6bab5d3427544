import TidingsPostgres

/// A role, a membership or a right that `grants.sql` or a part of the schema gives, and that does not exist.
public struct MissingRight: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case role, membership, schema, table, column, sequence, function, policy
        /// No missing right: the role has the rights of ``MissingRight/object`` without taking this role.
        case inheritance
    }

    /// The role that lacks it: one of those of Tidings, or the owner of a table.
    public let role: String
    public let kind: Kind
    /// Such as `tidings.packs`. For a membership: the role of which ``role`` is no member. For a missing role: the role itself.
    public let object: String
    /// Such as `select`, or `update (read_at)`. The word of the kind for a role, a membership, a policy and an inheritance.
    public let right: String

    /// Such as `select on tidings.packs`.
    var phrase: String { "\(right) \(kind == .membership ? "of" : "on") \(kind == .schema ? "schema " : "")\(object)" }
}

/// The roles and rights of the database that Tidings needs and that do not exist.
///
/// PostgreSQL reports a right that a script could not give only as a notice. So the rights are compared afterwards, by a query that every
/// login may ask, even a login without any right.
public struct MissingRights: Sendable, Hashable {
    public let rights: [MissingRight]
    /// The user who asked, as an identifier in SQL.
    public let user: String
    public let userMayCreateRoles: Bool
    /// The owner of the schema, as an identifier in SQL. Nil if there is no schema yet.
    public let owner: String?
    /// Whether the owner may not take the role `tidings_app`. This matters only if processes log in as the owner.
    public let ownerLacksApp: Bool

    public var isEmpty: Bool { rights.isEmpty }

    /// The roles that do not exist.
    public var absentRoles: [String] { rights.filter { $0.kind == .role }.map(\.role) }

    /// Each part in words, without a full stop: the roles that do not exist, and then each role with the rights that it lacks.
    public var sentences: [String] {
        var sentences: [String] = []
        let absent = absentRoles
        if !absent.isEmpty {
            let names = absent.joined(separator: ", ")
            sentences.append(absent.count == 1 ? "the role \(names) does not exist" : "the roles \(names) do not exist")
        }
        for right in rights where right.kind == .membership { sentences.append("\(right.role) is no member of \(right.object)") }
        for right in rights where right.kind == .inheritance { sentences.append("\(right.role) inherits the rights of \(right.object)") }
        let lacking = rights.filter { ![.role, .membership, .inheritance].contains($0.kind) }
        var roles = Grants.roles
        for right in lacking where !roles.contains(right.role) { roles.append(right.role) }
        for role in roles {
            let own = lacking.filter { $0.role == role }
            guard !own.isEmpty else { continue }
            let named = own.prefix(Self.named).map(\.phrase).joined(separator: ", ") + (own.count > Self.named ? ", …" : "")
            sentences.append("\(role) lacks \(own.count) \(own.count == 1 ? "right" : "rights"): \(named)")
        }
        return sentences
    }

    /// The statements for an administrator of the server, which the owner of the schema may not run. Empty if only the owner's own grants
    /// are missing.
    public var statements: [String] {
        let absent = absentRoles
        var statements = absent.map { "create role \($0) nologin\($0 == Grants.runAPI ? " noinherit" : "");" }
        let heirs = rights.filter { $0.kind == .inheritance }.map(\.role)
        // PostgreSQL notes with a membership whether it gives the rights, so the membership is made anew.
        for role in heirs { statements += ["alter role \(role) noinherit;", "revoke \(Grants.app) from \(role);"] }
        let strangers = rights.filter { $0.kind == .membership }.map(\.role) + heirs
        let members = Grants.members.filter { absent.contains($0) || absent.contains(Grants.app) || strangers.contains($0) }
        if members.isEmpty, statements.isEmpty { return [] }
        let all = members + (ownerLacksApp ? [owner].compactMap(\.self) : [])
        if !all.isEmpty { statements.append("grant \(Grants.app) to \(all.joined(separator: ", "));") }
        return statements
    }

    /// Rights that a sentence names. `tidings db grant` lists all of them.
    private static let named = 3
}

extension MissingRights {
    /// - Parameter parts: the parts of the modules of this binary.
    init(with parts: [SchemaPart], asking query: (SQL) async throws -> PostgresResult) async throws {
        rights = try await query(Grants.missing(with: parts)).rows.map { row in
            let (role, kind, object, right) = try row.decode((String, String, String, String).self)
            guard let kind = MissingRight.Kind(rawValue: kind) else { throw PostgresError.decoding("no kind of right: \(kind)") }
            return MissingRight(role: role, kind: kind, object: object, right: right)
        }
        guard let row = try await query(Grants.who).rows.first else { throw PostgresError.decoding("no row of the user") }
        (user, userMayCreateRoles, owner, ownerLacksApp) = try row.decode((String, Bool, String?, Bool).self)
    }
}

extension Store {
    /// The roles and rights that do not exist. Needs no right.
    ///
    /// - Parameter parts: the parts of the modules of this binary.
    package func missingRights(with parts: [SchemaPart]) async throws -> MissingRights {
        try await MissingRights(with: parts) { try await pool.query($0) }
    }
}
