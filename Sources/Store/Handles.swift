import TidingsPostgres

/// The functions of one folder of the store, such as `store.inbox`. A handle has no state of its own.
///
/// A bound that a folder declares is a constant of ``Store`` itself, so that it has one name in code and in `tidings config show`.
protocol StoreHandle: Sendable {
    var store: Store { get }
}

extension StoreHandle {
    var pool: PostgresPool { store.pool }
    var clock: DatabaseClock { store.clock }
}

extension Store {
    /// Entries of people: pages, marks, news and retention.
    public struct Inbox: StoreHandle {
        let store: Store
    }

    public var inbox: Inbox { Inbox(store: self) }

    /// Packs, which a worker claims and settles once, and the SQL outbox of `tidings_api.enqueue`.
    public struct Outbox: StoreHandle {
        let store: Store
    }

    public var outbox: Outbox { Outbox(store: self) }

    /// Deliveries that wait for a time, and deliveries in packs of dead workers.
    public struct Due: StoreHandle {
        let store: Store
    }

    public var due: Due { Due(store: self) }

    /// Reports of providers and devices about deliveries.
    public struct Reports: StoreHandle {
        let store: Store
    }

    public var reports: Reports { Reports(store: self) }

    /// Ids that the HTTP API promises before a router decides.
    public struct Reservations: StoreHandle {
        let store: Store
    }

    public var reservations: Reservations { Reservations(store: self) }

    /// Keys of the HTTP API.
    public struct Keys: StoreHandle {
        let store: Store
    }

    public var keys: Keys { Keys(store: self) }

    /// Events of apps about their people.
    public struct Engagement: StoreHandle {
        let store: Store
    }

    public var engagement: Engagement { Engagement(store: self) }

    /// Stored catalogues and the active one.
    public struct Catalogues: StoreHandle {
        let store: Store
    }

    public var catalogues: Catalogues { Catalogues(store: self) }

    /// Notifications that devices show by themselves.
    public struct LocalPlans: StoreHandle {
        let store: Store
    }

    public var localPlans: LocalPlans { LocalPlans(store: self) }

    /// Refused events and dead letters.
    public struct Refused: StoreHandle {
        let store: Store
    }

    public var refused: Refused { Refused(store: self) }

    /// Erased people, and the erasures that a releaser works on.
    public struct Erasures: StoreHandle {
        let store: Store
    }

    public var erasures: Erasures { Erasures(store: self) }

    /// Settings and endpoints of people.
    public struct Recipients: StoreHandle {
        let store: Store
    }

    public var recipients: Recipients { Recipients(store: self) }

    /// E-mail addresses, telephone numbers and webhooks of people.
    public struct Addresses: StoreHandle {
        let store: Store
    }

    public var addresses: Addresses { Addresses(store: self) }

    /// Chores of releasers between their turns, and what a running process reports.
    public struct Upkeep: StoreHandle {
        let store: Store
    }

    public var upkeep: Upkeep { Upkeep(store: self) }

    /// The readings of the command line, and the changes that an operator makes to one delivery.
    public struct Operations: StoreHandle {
        let store: Store
    }

    public var operations: Operations { Operations(store: self) }

    /// Channels, providers, types and tenants that operators have paused.
    public struct Pausing: StoreHandle {
        let store: Store
    }

    public var pausing: Pausing { Pausing(store: self) }
}
