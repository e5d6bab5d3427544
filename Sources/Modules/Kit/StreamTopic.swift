package import TidingsStore

/// News of a module that event streams tell their people: how many things are new, and no content.
///
/// The name of a topic is the name of the event, and of the kind of signal by which processes tell each other of changes.
package protocol StreamTopic: Sendable {
    /// Unique among the topics of a binary. A valid `InboxSignal.Kind`, and no event that streams have of their own: `inbox` and `bye`.
    var name: String { get }

    /// Counts the new things of many people, in the order of the marks. Runs with the rights of the process, and reads no content.
    func news(since marks: [TopicMark]) async throws -> [TopicNews]

    /// Counts the new things of one person, with the rights of the person.
    func news(since mark: TopicMark) async throws -> TopicNews

    /// The people of those marks beyond which something has come. One query, however many marks there are.
    func people(withNewsSince marks: [TopicMark]) async throws -> [RecipientKey]
}

/// The place up to which somebody knows the things of a person.
package struct TopicMark: Sendable, Hashable {
    package let tenant: String
    package let recipient: String
    /// The newest position that is known. Nil before the first look.
    package var position: Int64?

    package init(tenant: String, recipient: String, position: Int64? = nil) {
        self.tenant = tenant
        self.recipient = recipient
        self.position = position
    }
}

/// The number of things that came after a mark.
package struct TopicNews: Sendable, Hashable {
    /// Bounded by the topic. 0 for a mark without a position.
    package var count: Int
    /// The mark of this moment.
    package var mark: TopicMark

    package init(count: Int, mark: TopicMark) {
        self.count = count
        self.mark = mark
    }
}
