import TidingsLikes
public import TidingsStore

extension Projections {
    /// The projections of the modules in this repository. A binary with a module of its own names these and its own.
    public static let builtIn = Projections([LikesProjection()])
}
