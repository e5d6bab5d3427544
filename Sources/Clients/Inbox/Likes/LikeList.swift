/// The likes that an app shows, newest first. Pure: the app loads pages with ``InboxClient`` and hands them in.
///
/// New likes never move the list under the reader: the event stream only counts them (``InboxState/newLikes``). The app then offers a button,
/// asks for the likes since ``newestID``, and calls ``addNewer(_:)``.
public struct LikeList: Codable, Hashable, Sendable {
    public private(set) var likes: [Like] = []
    /// The cursor of the next older page.
    public private(set) var nextCursor: String?

    public init() {}

    /// The `since_id` of the next synchronisation. Nil for an empty list, which loads its first page instead.
    public var newestID: String? { likes.first?.id }

    /// Replaces the list by a first page.
    public mutating func replace(with page: LikesPage) {
        likes = []
        append(page.likes)
        nextCursor = page.nextCursor
    }

    /// Puts the answer to `since_id` in front. With `reset_required` the answer replaces the list.
    public mutating func addNewer(_ page: LikesPage) {
        guard !page.resetRequired, !likes.isEmpty else { return replace(with: page) }
        let arrived = Set(page.likes.map(\.id))
        let kept = likes.filter { !arrived.contains($0.id) }
        likes = []
        append(page.likes + kept)
    }

    /// Adds the page of ``nextCursor`` at the end. A like that the list has is changed in its place.
    public mutating func addOlder(_ page: LikesPage) {
        append(page.likes)
        nextCursor = page.nextCursor
    }

    /// Changes the status of a like, if the list has it.
    public mutating func set(_ status: Like.Status, of userID: String) {
        guard let index = likes.firstIndex(where: { $0.id == userID }) else { return }
        likes[index].status = status
    }

    private mutating func append(_ more: [Like]) {
        var places = Dictionary(likes.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
        for like in more {
            if let place = places[like.id] {
                likes[place] = like
            } else {
                places[like.id] = likes.count
                likes.append(like)
            }
        }
    }
}
