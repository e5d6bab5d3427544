public import TidingsCore
public import TidingsPostgres

/// The part of a module that keeps a table of its own about the intents of some types.
///
/// A type names the projection in the catalogue, as its setting `projection`. The router then runs the statements of the projection in the
/// transaction that accepts the intent. So the module's table and the notification appear together, whatever happens to the deliveries:
/// they may be held, suppressed or cancelled.
public protocol Projection: Sendable {
    /// The name that types of the catalogue use.
    var name: String { get }

    /// Returns the statements for intents of one batch that were just accepted. Each intent comes once: a duplicate is no new intent.
    ///
    /// The function must be pure, because the transaction may run again. The statements must lock rows in a fixed order, such as that of
    /// their keys, because batches run at the same time. A statement that can never succeed for one intent must fail with an error about
    /// the data (``PostgresError/isAboutTheData``). The router then refuses this intent alone.
    func statements(for intents: [ProjectedIntent]) -> [SQL]

    /// The tables of the module, each with the effect of an erasure and the part that an export has. Empty for a module that keeps nothing
    /// of people.
    var personalTables: [PersonalTable] { get }

    /// The ids of the people of whom an intent tells its recipient, within the tenant of the intent. If one of them is erased, the intent
    /// is dropped. Asked for every intent, because a module may send intents itself.
    ///
    /// - Parameter isProjected: whether the type of the intent has this projection.
    func people(in intent: Intent, isProjected: Bool) -> [String]

    /// A statement that deletes the rows which tell other people of a person. It is repeated until it returns no row. Nil if the module
    /// tells nobody of another person.
    ///
    /// It returns five columns for each deleted row: the table as text, the person who was told, the ids of the notifications that told it
    /// as `uuid[]`, and source and id of an event whose notification told it too. Both are null if there is none.
    ///
    /// - Parameter limit: the number of rows that each part of the statement deletes at most.
    func forgetMentions(of person: RecipientKey, limit: Int64) -> SQL?
}

extension Projection {
    public var personalTables: [PersonalTable] { [] }
    public func people(in intent: Intent, isProjected: Bool) -> [String] { [] }
    public func forgetMentions(of person: RecipientKey, limit: Int64) -> SQL? { nil }
}

/// An accepted intent, as a projection gets it.
public struct ProjectedIntent: Sendable {
    public var id: NotificationID
    public var intent: Intent
    /// The database's clock in the transaction that accepts the intent.
    public var acceptedAt: Timestamp

    public init(id: NotificationID, intent: Intent, acceptedAt: Timestamp) {
        self.id = id
        self.intent = intent
        self.acceptedAt = acceptedAt
    }
}

/// A person about whom a batch has changed the table of a projection.
public struct ProjectedPerson: Sendable, Hashable {
    public var projection: String
    public var tenant: String
    public var recipient: String
}

/// The projections of this binary. The store and the pipeline know no single one of them.
public struct Projections: Sendable {
    private let all: [String: any Projection]

    /// - Parameter projections: if two have the same name, the last one counts.
    public init(_ projections: [any Projection] = []) {
        all = Dictionary(projections.map { ($0.name, $0) }) { _, last in last }
    }

    /// Sorted.
    public var names: [String] { all.keys.sorted() }

    /// The tables of all modules.
    public var personalTables: [PersonalTable] { names.flatMap { all[$0]?.personalTables ?? [] } }

    /// The people of whom an intent tells its recipient.
    ///
    /// - Parameter projection: that of the intent's type.
    package func people(in intent: Intent, projection: String?) -> [RecipientKey] {
        all.flatMap { name, module in
            module.people(in: intent, isProjected: name == projection).map { RecipientKey(tenant: intent.tenant, id: $0) }
        }
    }

    /// The statements of ``Projection/forgetMentions(of:limit:)``.
    func forgetMentions(of person: RecipientKey, limit: Int64) -> [SQL] {
        names.compactMap { all[$0]?.forgetMentions(of: person, limit: limit) }
    }

    /// Returns the types of a catalogue whose projection is not part of this binary, by name. The value is the projection.
    package func missing(in catalogue: Catalogue) -> [String: String] {
        catalogue.types.compactMapValues(\.projection).filter { all[$0.value] == nil }
    }

    /// The statements of all projections, in the order of their names, so that two batches lock the tables in the same order.
    ///
    /// Throws if a projection is not part of this binary. An intent that is accepted without its projection would be missing in the table
    /// of the module for ever.
    func statements(for projected: [String: [ProjectedIntent]]) throws(UnknownProjection) -> [SQL] {
        var statements: [SQL] = []
        for (name, intents) in projected.sorted(by: { $0.key < $1.key }) {
            guard let projection = all[name] else { throw UnknownProjection(name: name) }
            statements += projection.statements(for: intents)
        }
        return statements
    }
}

/// The active catalogue names a projection that this binary does not have, because the catalogue is of a newer or another binary.
public struct UnknownProjection: Error, Sendable, Hashable, CustomStringConvertible {
    public let name: String

    package init(name: String) { self.name = name }

    public var description: String { "projection \"\(name)\" is not part of this binary" }
}
