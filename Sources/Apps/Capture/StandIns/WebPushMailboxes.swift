/// The subscriptions of a push service and the messages that wait in them, as many as fit; the oldest of either is forgotten first.
struct WebPushMailboxes: Sendable {
    /// Each with its keys some 500 bytes.
    static let subscriptions = 10_000
    /// Messages of one subscription.
    static let messagesEach = 100
    /// Messages of all subscriptions together: 80 MB at worst.
    static let messagesInAll = 20_000

    struct Subscription: Sendable {
        var browser = WebPushBrowser()
        /// The public key that senders must have; nil takes anybody's.
        var boundKey: [UInt8]?
        var recipient: FixedRecipient?
        /// Of ``messages``, in the order they came.
        fileprivate var numbers: [Int] = []
        /// Messages that were turned away the first time, as ``FixedRecipient/flaky`` does.
        fileprivate var turnedAway: [String] = []
    }

    struct Message: Sendable {
        var topic: String?
        /// Nil for a request without a body.
        var plaintext: [UInt8]?
    }

    private var known: [String: Subscription] = [:]
    private var inOrder: [String] = []
    private var messages: [Int: Message] = [:]
    private var lastNumber = 0
    /// No message has a lower number.
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

    /// Puts a message into a subscription, in place of one that has its topic. A subscription that is unknown by now takes none.
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

    /// Whether this message is turned away, because it is the first time that it comes.
    mutating func turnsAway(_ messageID: String, of id: String) -> Bool {
        guard var subscription = known[id], !subscription.turnedAway.contains(messageID) else { return false }
        if subscription.turnedAway.count == Self.messagesEach { subscription.turnedAway.removeFirst() }
        subscription.turnedAway.append(messageID)
        known[id] = subscription
        return true
    }

    /// What waits in a subscription, oldest first; nil for one that is unknown.
    func messages(of id: String) -> [Message]? {
        known[id].map { $0.numbers.compactMap { messages[$0] } }
    }
}
