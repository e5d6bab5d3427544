/// The subscriptions of a push service, and the messages that wait in them. Both have a limit; the oldest ones are dropped first.
struct WebPushMailboxes: Sendable {
    /// The most subscriptions. Each needs some 500 bytes with its keys.
    static let subscriptions = 10_000
    /// The most messages of one subscription.
    static let messagesEach = 100
    /// The most messages of all subscriptions together: 80 MB at worst.
    static let messagesInAll = 20_000

    struct Subscription: Sendable {
        var browser = WebPushBrowser()
        /// The public key that senders must have; nil accepts every sender's key.
        var boundKey: [UInt8]?
        var recipient: FixedRecipient?
        /// The numbers of this subscription's ``messages``, in the order of arrival.
        fileprivate var numbers: [Int] = []
        /// Messages that were refused at the first attempt, as for ``FixedRecipient/flaky``.
        fileprivate var turnedAway: [String] = []
    }

    struct Message: Sendable {
        var topic: String?
        /// The decrypted body; nil for a request without a body.
        var plaintext: [UInt8]?
    }

    private var known: [String: Subscription] = [:]
    private var inOrder: [String] = []
    private var messages: [Int: Message] = [:]
    private var lastNumber = 0
    /// The lowest number that a message may have.
    private var firstNumber = 1

    subscript(id: String) -> Subscription? { known[id] }

    mutating func add(_ subscription: Subscription, id: String) {
        if inOrder.count == Self.subscriptions {
            let forgotten = known.removeValue(forKey: inOrder.removeFirst())
            for number in forgotten?.numbers ?? [] { messages[number] = nil }
        }
        known[id] = subscription
        inOrder.append(id)
    }

    /// Puts a message into a subscription. The message replaces an earlier one with the same topic. Does nothing if the subscription has
    /// been dropped.
    mutating func put(_ message: Message, into id: String) {
        guard var subscription = known[id] else { return }
        subscription.numbers.removeAll { number in
            guard let earlier = messages[number] else { return true }
            guard message.topic != nil, earlier.topic == message.topic else { return false }
            messages[number] = nil
            return true
        }
        if subscription.numbers.count == Self.messagesEach { messages[subscription.numbers.removeFirst()] = nil }
        lastNumber += 1
        messages[lastNumber] = message
        subscription.numbers.append(lastNumber)
        known[id] = subscription
        while messages.count > Self.messagesInAll {
            messages[firstNumber] = nil
            firstNumber += 1
        }
    }

    /// Whether the message is refused, because this is its first attempt.
    mutating func turnsAway(_ messageID: String, of id: String) -> Bool {
        guard var subscription = known[id], !subscription.turnedAway.contains(messageID) else { return false }
        if subscription.turnedAway.count == Self.messagesEach { subscription.turnedAway.removeFirst() }
        subscription.turnedAway.append(messageID)
        known[id] = subscription
        return true
    }

    /// Returns the messages of a subscription, oldest first; nil if the subscription is unknown.
    func messages(of id: String) -> [Message]? {
        known[id].map { $0.numbers.compactMap { messages[$0] } }
    }
}
