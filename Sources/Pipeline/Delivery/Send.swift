import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsMetrics
import TidingsProvider
import TidingsStore

/// A call that has ended.
struct SentCall: Sendable {
    let entries: [PackEntry]
    /// By position in ``entries``. A provider that says nothing of a delivery has left its end open.
    let results: [SendResult]
    let startedAt: Timestamp
    let finishedAt: Timestamp
}

/// The call itself.
extension ProviderWorker {
    func send(_ admission: Admission) async -> SentCall {
        let (deliveries, startedAt) = (admission.deliveries, store.clock.now())
        let results = await calls.measure {
            deliveries.count == 1 ? [await provider.send(deliveries[0])] : await provider.send(together: deliveries)
        }
        reach(.afterSend, deliveries[0].recipient)
        let finishedAt = store.clock.now()
        gate.leave(admission.pass, evidence: results.evidence, requestedPause: results.requestedPause, now: finishedAt)
        return SentCall(entries: admission.entries, results: results, startedAt: startedAt, finishedAt: finishedAt)
    }

    /// The delivery as the provider gets it: the entry, the endpoint's address, and the presentation of its type.
    func outgoing(_ entry: PackEntry, _ claims: PackClaims) -> OutgoingDelivery {
        OutgoingDelivery(
            entry, address: claims.addresses[entry.key], badge: claims.badges[entry.key],
            type: catalogues.current.catalogue.types[entry.type])
    }
}

extension CallParts {
    /// The parts of a call with these deliveries, of which there is at least one.
    ///
    /// If the provider takes deliveries to several people in one call, the content that they share counts as the endpoint. So a content that
    /// makes the calls fail does not stop the others. A call with one delivery to such a provider counts in the same way.
    init(_ deliveries: [OutgoingDelivery], isTogether: Bool) {
        let item = deliveries[0]
        let person = RecipientKey(tenant: item.tenant, id: item.recipient)
        let endpoint = isTogether ? Breaker.Part(item.batchKey) : item.endpointAddress.map { Breaker.Part($0) } ?? Breaker.Part(person)
        self.init(
            endpoint: endpoint, delivery: Breaker.Part(item.idempotencyKey), isFirstAttempt: deliveries.allSatisfy { $0.attempt == 1 })
    }
}

extension OutgoingDelivery {
    init(_ entry: PackEntry, address: EndpointAddress?, badge: Int?, type: NotificationType?) {
        let silent = type?.silent ?? false
        self.init(
            header: entry.header, content: entry.content, endpointAddress: address?.address, secrets: address?.secrets ?? [],
            idempotencyKey: entry.key.idempotencyKey, silent: silent, interruptionLevel: type?.interruptionLevel,
            badge: silent ? nil : badge,
            device: address?.platform.map { OutgoingDevice(platform: $0, environment: address?.environment ?? "production") })
    }
}
