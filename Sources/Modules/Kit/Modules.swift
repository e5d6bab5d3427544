package import TidingsCore
package import TidingsStore
package import TidingsWeb

/// The modules of a binary. Store, pipeline and interfaces know no single one of them.
package struct Modules: Sendable {
    private let all: [any Module]
    /// The projections of all modules, and those that a binary has beside them.
    package let projections: Projections

    /// Each projection has a name of its own. Otherwise one of the two would get no intents, and the process ends.
    ///
    /// - Parameters:
    ///   - all: the modules, in the order in which their parts are listed.
    ///   - projections: the projections of a binary of your own.
    package init(_ all: [any Module], projections: [any Projection] = []) {
        let linked: [any Projection] = all.map { $0.projection } + projections
        let names = linked.map { $0.name }.sorted()
        precondition(Set(names).count == names.count, "two projections have the same name: \(names)")
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

    /// The topics of all modules. The id of an event of a stream has a position for each, in this order.
    package func topics(over store: Store) -> [any StreamTopic] { all.flatMap { $0.topics(over: store) } }

    /// The operations of all modules.
    package func operations<Access: PersonAccess, Call: PersonCall>(in context: ModuleContext) -> [Operation<Access, Call>] {
        var operations: [Operation<Access, Call>] = []
        for module in all {
            let more: [Operation<Access, Call>] = module.operations(in: context)
            operations += more
        }
        return operations
    }
}
