public import TidingsContracts
public import TidingsCore

/// The decoded messages that a router read from the broker in one batch.
public struct IntakeBatch: Sendable {
    public var intents: [DecodedIntent]
    public var refused: [RefusedEvent]

    public init(intents: [DecodedIntent] = [], refused: [RefusedEvent] = []) {
        self.intents = intents
        self.refused = refused
    }
}

/// A rejection together with the message it came in.
public struct RefusedEvent: Sendable {
    public var rejection: Rejection
    public var exchange: String
    public var routingKey: String
    /// The message's headers as JSON text, for the operator.
    public var headers: String
    /// The headers that a replay sends, as JSON text. Nil if not all of them are known.
    public var replayHeaders: String?

    /// The publisher, if the broker or a trusted user vouches for it.
    public var producer: String?

    public init(
        rejection: Rejection, exchange: String, routingKey: String, headers: String, replayHeaders: String? = "{}", producer: String? = nil
    ) {
        self.rejection = rejection
        self.exchange = exchange
        self.routingKey = routingKey
        self.headers = headers
        self.replayHeaders = replayHeaders
        self.producer = producer
    }
}

/// The pure answer for one accepted intent.
public struct RoutedIntent: Sendable {
    public var decision: Decision
    public var category: Category
    public var lane: Lane
    public var expiresAt: Timestamp
    /// The name of the ``Projection`` of the intent's type. Nil: the type has none.
    public var projection: String?

    public init(decision: Decision, category: Category, lane: Lane, expiresAt: Timestamp, projection: String? = nil) {
        self.decision = decision
        self.category = category
        self.lane = lane
        self.expiresAt = expiresAt
        self.projection = projection
    }
}

/// The result of one committed batch, counted in recipients.
public struct IntakeResult: Sendable {
    public var accepted = 0
    public var duplicates = 0
    public var rejected = 0
    /// Dropped, because they name an erased person.
    public var erased = 0
    /// The packs to publish now. Their rows are committed.
    public var packs: [Pack] = []
    /// The inbox rows that the batch wrote.
    public var arrivals = InboxArrivals()
    /// The recipients of intents that a module has projected, once for each intent.
    public var projected: [ProjectedPerson] = []

    public init() {}
}
