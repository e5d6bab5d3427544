public import Logging
import TidingsCatalogue
import TidingsCore
public import TidingsProvider
public import TidingsStore

/// Wakes the apps of devices whose plan may have changed, with a silent push through their market's provider. A wake is only a hint,
/// because the app asks for its plan when it starts. So a wake that fails or is lost is not tried again, and leaves no row.
public struct LocalPlanWaker: Sendable {
    /// The pause between two looks for devices to wake.
    package static let interval = Duration.milliseconds(500)
    /// The number of devices of one look, and the number of pushes under way at once.
    package static let batch = 100
    /// The number of turns in which a wake waits for its provider's rate. Then the wake is dropped.
    package static let turns = 20
    /// The type that the app reads, if the provider sends a type.
    public static let type = "localPlan"
    /// The time after which a platform need not deliver the push any more.
    package static let life = Duration.seconds(3_600)

    private let store: Store
    private let catalogues: CatalogueSource
    private let carriers: [String: any Provider]
    private let gates: SendGates
    private let logger: Logger

    /// - Parameters:
    ///   - carriers: every provider of the catalogue that pushes to devices.
    ///   - gates: the gates of all providers, those of the carriers included.
    public init(store: Store, catalogues: CatalogueSource, carriers: [any Provider], gates: SendGates, logger: Logger) {
        self.store = store
        self.catalogues = catalogues
        self.logger = logger
        self.gates = gates
        self.carriers = Dictionary(carriers.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Runs until the task is cancelled.
    public func run() async {
        var reminder = Reminder()
        while !Task.isCancelled {
            do {
                let devices = try await store.localPlans.takeWakes(limit: Self.batch)
                reminder = Reminder()
                await withDiscardingTaskGroup { group in
                    // Each device waits for the network by itself. There are at most ``batch`` tasks, and the group awaits all.
                    for device in devices { group.addTask { await wake(device) } }
                }
                if devices.count == Self.batch { continue }
            } catch {
                logger.cannot("wake devices", error, isDue: reminder.isDue())
            }
            // Nothing signals a new row. The stop cancels the pause.
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func wake(_ device: DeviceToWake) async {
        let (catalogue, now) = (catalogues.current.catalogue, store.clock.now())
        guard let binding = catalogue.pushCarrier(of: device.endpoint, market: device.market), let carrier = carriers[binding.name],
            let gate = gates[binding.name],
            catalogues.pauses.holding(channel: .push, provider: binding.name, type: Self.type, tenant: device.tenant, at: now) == nil
        else { return }
        let push = Self.push(to: device, id: store.clock.nextID(), now: now)
        let parts = CallParts([push], isTogether: carrier.limits.maximumTogether > 1)
        guard let pass = await pass(gate, host: carrier.host(of: push) ?? binding.name, parts) else { return }
        guard await maySend(to: device), device.hasTime(forCall: carrier.limits.sendTimeout) else {
            return gate.leave(pass, evidence: .none, now: store.clock.now())
        }
        let result = await carrier.send(push)
        gate.leave(pass, evidence: result.evidence, requestedPause: result.requestedPause, now: store.clock.now())
        logger.debug("woke a device for its plan", metadata: ["provider": "\(binding.name)", "outcome": "\(result.outcome.name)"])
    }

    /// Looks again for a tombstone after a long wait. While the database does not answer, no wake is sent.
    private func maySend(to device: DeviceToWake) async -> Bool {
        guard device.needsAnotherLook() else { return true }
        return (try? await store.erasures.isErased(RecipientKey(tenant: device.tenant, id: device.recipient))) == false
    }

    /// Nil if the provider is failing, or has no room for a long time.
    private func pass(_ gate: SendGate, host: String, _ parts: CallParts) async -> SendGate.Pass? {
        for _ in 0..<Self.turns {
            switch await gate.enter(host: host, parts, now: store.clock.now()) {
            case .entered(let pass): return pass
            case .refused(_, .breakerOpen): return nil
            case .refused(let wait, _):
                // Only time has to pass. The stop cancels the sleep, which ends the turns as well.
                do { try await Task.sleep(for: wait) } catch { return nil }
            }
        }
        return nil
    }

    private static func push(to device: DeviceToWake, id: NotificationID, now: Timestamp) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: id, ordinal: 0, attempt: 1, tenant: device.tenant, recipient: device.recipient, type: type,
                category: .system, createdAt: now, expiresAt: now.adding(life)),
            content: Content(collapseKey: type), endpointAddress: device.endpoint.address, idempotencyKey: "\(id)-wake", silent: true,
            device: device.platform.map { OutgoingDevice(platform: $0, environment: device.environment ?? "production") })
    }
}
