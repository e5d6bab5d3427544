package import TidingsCore
package import TidingsModules
package import TidingsStore
package import TidingsWeb

/// The parts of ``Likes`` that a binary links.
package struct LikesModule: Module {
    package init() {}

    /// The module makes the intents of ``Likes/matchType`` itself, without a title, so this type has a template.
    package var types: [NotificationType] {
        [
            NotificationType(
                name: "like", category: .social, titleTemplate: "Somebody likes you", channels: [.push, .inApp], projection: Likes.name),
            NotificationType(
                name: Likes.matchType, category: .social, titleTemplate: "It is a match", channels: [.push, .inApp]),
        ]
    }

    package var features: [FeatureSetting] { [.isBlurEnabled, .likesRefreshInterval, .unblurDuration] }

    package var projection: any Projection { LikesProjection() }

    package var bounds: [Bound] {
        [
            Bound("Likes.maximumLimit", Likes.maximumLimit, "likes", "On one page of a list."),
            Bound("Likes.resetThreshold", Likes.resetThreshold, "likes", "An app that misses so many gets a new list."),
            Bound("Likes.mostCounted", Likes.mostCounted, "likes", "New ones; more are told as this many."),
            Bound("Likes.watchersPerQuery", Likes.watchersPerQuery, "people", "Whose new likes one query counts."),
        ]
    }

    package func topics(over store: Store) -> [any StreamTopic] { [Likes(store: store)] }

    package func operations<Access: PersonAccess, Call: PersonCall>(in context: ModuleContext) -> [Operation<Access, Call>] {
        LikeOperations(likes: Likes(store: context.store), context: context).all()
    }
}
