package import TidingsCore
package import TidingsStore

/// A feature on top of the pipeline, in a folder of `Modules`, with tables of its own.
///
/// Store, pipeline, runtime and interfaces learn of a module only by this protocol.
package protocol Module: Sendable {
    /// The statements in the transaction that accepts an intent, and the people in the tables of the module. Erasure and export read it too.
    var projection: any Projection { get }

    /// The bounds of the module's constants, for `tidings config show`.
    var bounds: [Bound] { get }
}
