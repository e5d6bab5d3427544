package import TidingsCore
package import TidingsStore
package import TidingsWeb

/// A feature on top of the pipeline, in a folder of `Modules`, with tables of its own.
///
/// Store, pipeline, runtime and interfaces learn of a module only by this protocol.
package protocol Module: Sendable {
    /// The types that the built-in catalogue has because of the module.
    var types: [NotificationType] { get }

    /// The settings of the module in the catalogue, which apps read.
    var features: [FeatureSetting] { get }

    /// The statements in the transaction that accepts an intent, and the people in the tables of the module. Erasure and export use both.
    var projection: any Projection { get }

    /// The tables of the module, and the rights on them.
    var schema: SchemaPart { get }

    /// The bounds of the module's constants, for `tidings config show`.
    var bounds: [Bound] { get }

    /// The topics that event streams tell of.
    func topics(over store: Store) -> [any StreamTopic]

    /// The operations of the module in an interface that serves people. The OpenAPI document has each of them.
    func operations<Access: PersonAccess, Call: PersonCall>(in context: ModuleContext) -> [Operation<Access, Call>]
}

/// A module needs tables and a projection. It has nothing else unless it says so.
extension Module {
    package var types: [NotificationType] { [] }
    package var features: [FeatureSetting] { [] }
    package var bounds: [Bound] { [] }

    package func topics(over store: Store) -> [any StreamTopic] { [] }

    package func operations<Access: PersonAccess, Call: PersonCall>(in context: ModuleContext) -> [Operation<Access, Call>] { [] }
}
