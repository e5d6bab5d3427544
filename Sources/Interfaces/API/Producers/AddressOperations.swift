import HTTPTypes
import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsStore
import TidingsWeb

/// Addresses of people beside devices, as a backend changes them. `PersonList` has their list. A person has no such operation: whoever has
/// stolen a token of a person could lead all messages to another address.
struct AddressOperations: Sendable {
    let services: APIServices

    var all: [Operation] {
        let path = "/v1/recipients/{recipient}/addresses"
        let query = ["tenant"]
        return [
            Operation(.post, path, "setRecipientAddress", .key(.addressesWrite), query: query, hasBody: true) { try await set($0) },
            Operation(.patch, path + "/{id}", "changeRecipientAddress", .key(.addressesWrite), query: query, hasBody: true) { call in
                try await change(call)
            },
            Operation(.delete, path + "/{id}", "removeRecipientAddress", .key(.addressesWrite), query: query) { call in
                try await remove(call)
            },
        ]
    }

    /// The answer about one address: its element of the list, with its value if the key may see it.
    private func answer(_ id: String, of person: RecipientKey, for key: CallerKey) async throws -> ServerResponse {
        let isWhole = key.allows(.recipientsAddresses)
        let addresses = try await services.store.recipients.list(.addresses, of: person, showingAddresses: isWhole)
        guard let address = try addresses.first(where: { try isSameText($0.column("address_id"), id) }) else { throw Problem(.notFound) }
        return .json(.ok, address)
    }

    /// Setting a known address again stores its new facts.
    private func set(_ call: APICall) async throws -> ServerResponse {
        let (person, key) = (try RecipientOperations.person(call), try call.key)
        var body = BodyReader(try await call.object(), known: ["kind", "value", "consent", "source", "verified"])
        let kind = body.requiredWord("kind", AddressKind.self)
        if kind == .webhook { body.refuse("kind", "must be email or sms: a webhook is set by an operator, because processes call its URL") }
        let value = body.requiredText("value", bytes: 1...Address.longest)
        let facts = AddressFacts(
            source: body.text("source", bytes: 1...Address.longestText) ?? key.producer, consent: body.word("consent"),
            isVerified: body.bool("verified") ?? false)
        let address = Self.address(kind, value, &body)
        try body.finish()
        guard let address else { throw Problem.invalid(.body("/value", "is missing")) }
        guard let id = try await services.store.addresses.set(address, of: person, facts) else {
            throw Problem.invalid(.body("/value", "is one too many: the person has \(Store.addressesPerKind) other addresses of the kind"))
        }
        return try await answer(id, of: person, for: key)
    }

    private static func address(_ kind: AddressKind?, _ value: String, _ body: inout BodyReader) -> Address? {
        guard let kind, !body.refuses("kind", "value") else { return nil }
        do throws(Address.Fault) {
            return try Address(kind, value)
        } catch {
            body.refuse("value", "is no address of the kind: \(error)")
            return nil
        }
    }

    private func change(_ call: APICall) async throws -> ServerResponse {
        let (person, key, id) = (try RecipientOperations.person(call), try call.key, call.parameter("id"))
        var body = BodyReader(
            try await call.object(), known: ["verified", "consent", "suppressed", "suppressionReason", "suppressedUntil"])
        var changes = AddressChanges(isVerified: body.bool("verified"), consent: body.word("consent"))
        changes.suppression = suppression(&body)
        try body.finish()
        guard try await services.store.addresses.change(id, of: person, changes) else { throw Problem(.notFound) }
        return try await answer(id, of: person, for: key)
    }

    /// The suppression of a body. `.some(nil)` lifts it, and nil keeps it.
    private func suppression(_ body: inout BodyReader) -> AddressSuppression?? {
        let isSuppressed = body.bool("suppressed")
        let reason = body.text("suppressionReason", bytes: 1...Address.longestText)
        let until = end(&body)
        guard isSuppressed == true else {
            for (name, isGiven) in [("suppressionReason", reason != nil), ("suppressedUntil", until != nil)] where isGiven {
                body.refuse(name, "goes with \"suppressed\": true")
            }
            return isSuppressed == false ? .some(nil) : nil
        }
        guard let reason else {
            if !body.refuses("suppressionReason") { body.refuse("suppressionReason", "is missing: every list of addresses shows it") }
            return nil
        }
        return .some(AddressSuppression(because: reason, until: until))
    }

    /// The time at which a suppression ends by itself.
    private func end(_ body: inout BodyReader) -> Timestamp? {
        guard let text = body.text("suppressedUntil", bytes: 1...APILimits.timeBytes) else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            body.refuse("suppressedUntil", "must be a time of RFC 3339, such as 2027-01-31T08:00:00Z")
            return nil
        }
        let now = services.store.clock.now()
        guard time > now, time <= now.adding(AddressSuppression.longest) else {
            body.refuse("suppressedUntil", "must be in the future, within ten years")
            return nil
        }
        return time
    }

    private func remove(_ call: APICall) async throws -> ServerResponse {
        let person = try RecipientOperations.person(call)
        guard try await services.store.addresses.remove(call.parameter("id"), of: person) else { throw Problem(.notFound) }
        return .noContent
    }
}
