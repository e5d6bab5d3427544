import TidingsLikes
package import TidingsModules

extension Modules {
    /// The modules of this repository. A binary of your own adds projections to these.
    package static let builtIn: [any Module] = [LikesModule()]
}
