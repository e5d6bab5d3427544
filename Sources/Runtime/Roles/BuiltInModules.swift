import TidingsLikes
package import TidingsModules

extension Modules {
    /// The modules of this repository. A binary of your own adds projections to these.
    ///
    /// No other file outside of the folder of a module names it. Exceptions are `Package.swift`, the list of the schema's files, and the
    /// event stream of the API, which reads the likes.
    package static let builtIn: [any Module] = [LikesModule()]
}
