package import TidingsCore
import TidingsLikes
package import TidingsModules

extension Modules {
    /// The modules of this repository. A binary of your own adds projections to these.
    package static let builtIn: [any Module] = [LikesModule()]
}

extension Catalogue {
    /// The built-in catalogue of this binary, with the types of its modules.
    package static let ofBinary = Modules(Modules.builtIn).builtInCatalogue
}
