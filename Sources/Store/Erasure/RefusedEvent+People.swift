import TidingsContracts
import TidingsCore
import TidingsCrypto
import TidingsJSON

extension RefusedEvent {
    /// The people that the row of the event would name.
    package var people: Set<RecipientKey> {
        let listed = Set(rejection.recipientIDs.map(person))
        return rejection.mayNameOthers ? listed.union(MessagePeople.recipients(of: rejection.raw)) : listed
    }

    /// The idempotency keys that the event would have for erased people. Empty if source or id could not be read.
    func keys(of erased: Set<RecipientKey>) -> [Digest128] {
        guard !erased.isEmpty, let source = rejection.source, let id = rejection.eventID else { return [] }
        return people.intersection(erased).map { IntentKey.key(of: $0, source: source, id: id) }
    }

    /// The event without erased people. Nil if nothing of it may be kept.
    ///
    /// The kept bytes are then those of an event for the other people, with a size and a SHA-256 of their own. The message may show a value
    /// of the event, so the meaning of the reason takes its place.
    func without(_ erased: Set<RecipientKey>) -> RefusedEvent? {
        guard !erased.isEmpty else { return self }
        let named = people.intersection(erased)
        guard !named.isEmpty else { return self }
        guard case .rest(let bytes) = MessagePeople.removing(named, from: rejection.raw) else { return nil }
        var event = self
        event.rejection.raw = bytes
        event.rejection.size = bytes.count
        event.rejection.sha256 = SHA256.hash(bytes)
        event.rejection.message = rejection.reason.meaning
        event.rejection.violations = []
        event.rejection.recipientIDs.removeAll { named.contains(person($0)) }
        if named.contains(where: { headers.firstRange(of: JSON.string($0.id).serialized) != nil }) {
            event.headers = "{}"
            event.replayHeaders = nil
            event.rejection.isReplayable = false
        }
        return event
    }

    private func person(_ id: String) -> RecipientKey {
        RecipientKey(tenant: rejection.tenant ?? Intent.defaultTenant, id: id)
    }
}
