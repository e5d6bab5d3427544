/// The steps and rights that a migration would add.
public struct MigrationPlan: Sendable {
    /// The number of the newest applied step. 0 for an empty database.
    public let version: Int
    /// The statements that an administrator of the server has to run before the first step, because this user may not create the schemas.
    public let creationStatements: [String]
    public let steps: [Migration]
    /// The parts of modules that are missing. They come after the last step.
    package let parts: [SchemaPart]
    public let missing: MissingRights

    /// The SQL of the rights. It always comes last.
    package static func rights(with parts: [SchemaPart]) -> String { Grants.script(with: parts) }
}

/// The effect of a migration.
public struct MigrationResult: Sendable {
    /// The number of the newest applied step now.
    public let version: Int
    /// The steps that were applied.
    public let steps: [Migration]
    /// The parts of modules that were created.
    package let parts: [SchemaPart]
    /// Whether rights or roles were missing and were added.
    public let hasGranted: Bool
    /// The rights that are missing now. Nil if the schema is newer than this binary, which does not know its rights.
    public let missing: MissingRights?

    init(
        version: Int, steps: [Migration] = [], parts: [SchemaPart] = [], hasGranted: Bool = false, missing: MissingRights? = nil
    ) {
        self.version = version
        self.steps = steps
        self.parts = parts
        self.hasGranted = hasGranted
        self.missing = missing
    }
}
