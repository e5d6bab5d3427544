import TidingsLikes
package import TidingsModules

extension Modules {
    /// The modules of this repository. No other file outside of the folder of a module names it, except `Package.swift` and the list of the
    /// schema's files. A binary of your own adds projections to these.
    package static let builtIn: [any Module] = [LikesModule()]
}
