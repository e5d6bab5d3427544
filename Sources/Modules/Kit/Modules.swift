package import TidingsCore
package import TidingsStore
package import TidingsWeb

/// The modules of a binary. Store, pipeline and interfaces know no single one of them.
package struct Modules: Sendable {
    private let all: [any Module]
    /// The projections of all modules, and those that a binary has beside them.
    package let projections: Projections

    /// Each projection, type, setting and table has a name of its own, also beside the types and tables that are there without modules.
    /// Otherwise one of the two would be without effect, and the process ends.
    ///
    /// - Parameters:
    ///   - all: the modules, in the order in which their parts are listed.
    ///   - projections: the projections of a binary of your own.
    package init(_ all: [any Module], projections: [any Projection] = []) {
        let linked: [any Projection] = all.map { $0.projection } + projections
        Self.refuseTwins(among: linked.map { $0.name }, "projections")
        Self.refuseTwins(among: Catalogue.builtIn.types.keys + all.flatMap { $0.types }.map { $0.name }, "types")
        Self.refuseTwins(among: all.flatMap { $0.features }.map { $0.name }, "settings")
        Self.refuseTwins(among: PersonalPlaces.tables.map { $0.name } + all.flatMap { $0.schema.tableNames }, "tables")
        self.all = all
        self.projections = Projections(linked)
    }

    /// The settings of all modules in the catalogue.
    package var features: [FeatureSetting] { all.flatMap { $0.features } }

    /// The built-in catalogue, with the types and settings of all modules.
    package var builtInCatalogue: Catalogue {
        var catalogue = Catalogue.builtIn
        for type in all.flatMap({ $0.types }) { catalogue.types[type.name] = type }
        for setting in features { catalogue.features[setting.name] = setting.standard }
        return catalogue
    }

    /// The tables of all modules.
    package var schemaParts: [SchemaPart] { all.map { $0.schema } }

    /// The bounds of all modules.
    package var bounds: [Bound] { all.flatMap { $0.bounds } }

    /// The topics of all modules. The id of an event of a stream has a position for each, in this order. Each topic has a name of its own,
    /// or the process ends.
    package func topics(over store: Store) -> [any StreamTopic] {
        let topics = all.flatMap { $0.topics(over: store) }
        Self.refuseTwins(among: topics.map { $0.name }, "topics")
        return topics
    }

    /// The operations of all modules.
    package func operations<Access: PersonAccess, Call: PersonCall>(in context: ModuleContext) -> [Operation<Access, Call>] {
        var operations: [Operation<Access, Call>] = []
        for module in all {
            let more: [Operation<Access, Call>] = module.operations(in: context)
            operations += more
        }
        return operations
    }

    private static func refuseTwins(among names: [String], _ things: String) {
        precondition(Set(names).count == names.count, "two \(things) have the same name: \(names.sorted())")
    }
}
