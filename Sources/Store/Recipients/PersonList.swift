public import TidingsJSON
import TidingsPostgres

/// A list about one person that a backend reads over HTTP: `GET /v1/recipients/{recipient}/<name>`.
///
/// The declaration is all that a list needs in the code. The statement, the operation, and the members of its answer follow from it.
/// `schemas/openapi.yaml` describes the same list, and a test compares both.
public struct PersonList: Sendable {
    /// The end of the path, and the member of the answer that has the list.
    public let name: String
    /// The `operationId` in the document.
    public let operation: String
    /// The members of an element, in their order.
    public let members: [String]
    /// Whether an element has a member `value` with an address, and a member `kind` with its kind.
    fileprivate let hasAddresses: Bool
    private let select: String
    private let from: String
    private let end: String

    /// - Parameters:
    ///   - relation: a view or table of the schema `tidings` that shows a person only the rows of that person. Its alias is `r`.
    ///   - condition: a further condition on its rows.
    ///   - end: the text after ORDER BY. A list that can grow ends with a LIMIT.
    ///   - hasAddresses: whether the member `value` of an element is an address, which only some callers may see.
    ///   - members: the members of an element, each with its expression.
    private init(
        _ name: String, _ operation: String, from relation: String, where condition: String = "true", orderBy end: String,
        hasAddresses: Bool = false, members: KeyValuePairs<String, String>
    ) {
        self.name = name
        self.operation = operation
        self.members = members.map(\.key)
        self.hasAddresses = hasAddresses
        self.end = end
        select = members.map { "\($0.value) as \($0.key)" }.joined(separator: ", ")
        from = "tidings.\(relation) r where \(condition)"
    }

    /// Every list.
    public static let all: [PersonList] = [devices, addresses]

    /// The devices as in `tidings_ops.devices`, the latest registration first, with those that are gone.
    private static let devices = PersonList(
        "devices", "listRecipientDevices", from: "own_endpoints", where: "r.channel = 'push'", orderBy: "r.registered_at desc, r.id",
        members: [
            "tenant": "r.tenant", "recipient_id": "r.recipient_id", "device_id": "r.id", "platform": "r.platform", "provider": "r.provider",
            "environment": "r.environment", "permission": "r.permission", "market": "r.market", "time_zone": "r.time_zone",
            "locale": "r.locale", "app_version": "r.app_version", "state": "case when r.gone_at is null then 'active' else 'gone' end",
            "reason_code": "r.gone_reason", "token_end": "r.address_end", "registered_at": "r.registered_at", "changed_at": "r.changed_at",
            "gone_at": "r.gone_at",
        ])

    /// E-mail addresses, telephone numbers and the webhook, of each kind the oldest first, with those that are not used.
    public static let addresses = PersonList(
        "addresses", "listRecipientAddresses", from: "addresses", orderBy: "r.kind, r.created_at, r.id", hasAddresses: true,
        members: [
            "tenant": "r.tenant", "recipient_id": "r.recipient_id", "address_id": "r.id", "kind": "r.kind", "value": "r.value",
            "source": "r.source", "consent": "r.consent", "consent_at": "r.consent_at", "verified_at": "r.verified_at",
            "state": addressState, "suppressed_because": "r.suppressed_because", "suppressed_at": "r.suppressed_at",
            "suppressed_until": "r.suppressed_until", "created_at": "r.created_at", "changed_at": "r.changed_at",
        ])

    /// The state of an address as in `tidings_ops.addresses`.
    private static let addressState = """
        case when r.consent = 'denied' then 'denied'
            when r.suppressed_at is null or r.suppressed_until <= tidings.clock() then 'active' else 'suppressed' end
        """

    fileprivate func query(of person: RecipientKey) -> SQL {
        """
        select \(unsafe: select) from \(unsafe: from) and r.tenant = \(person.tenant) and r.recipient_id = \(person.id)
        order by \(unsafe: end)
        """
    }
}

extension Store.Recipients {
    /// The elements of a list about a person. Runs with the rights of the person, who may not read the secret of a webhook.
    ///
    /// - Parameter isWhole: whether addresses are whole. Otherwise they have the form of ``AddressMask``.
    public func list(_ list: PersonList, of person: RecipientKey, showingAddresses isWhole: Bool) async throws -> [JSON] {
        let elements = try await store.report(list.query(of: person), of: person)
        guard list.hasAddresses, !isWhole else { return elements }
        return try elements.map { try AddressMask.mask(address: $0) }
    }
}
