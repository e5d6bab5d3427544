import PrivateServers
import Testing
import TidingsAMQP
import TidingsClient
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

/// Receivers that misbehave, and producers that send the same id again.
extension FaultRow {
    static let providers = [
        FaultRow(
            number: "33", fault: "provider hangs, drips, resets",
            injected: "hosts that never answer, drip for ever, close at once, for 30 s",
            recovery: .seconds(240), bound: .admitted,
            inject: { try await $0.answers(like: ["hang", "drip/2000", "reset", "slow/14000"], for: .seconds(30)) },
            heal: { try await $0.answersWell() }),
        FaultRow(
            number: "34", fault: "provider throttles and fails", injected: "429, 503, 500, 400, 302, 1 MB of body, 410, for 15 s",
            recovery: .seconds(240), bound: .none,
            inject: {
                try await $0.answers(
                    like: ["throttle/3", "fail/2", "status/400", "redirect", "big/1000000", "status/410", "status/503"], for: .seconds(15))
            }, heal: { try await $0.answersWell() }),
        FaultRow(
            number: "35", fault: "names that fail, private addresses",
            injected: "webhooks at unknown hosts, the metadata address and 10.0.0.1, for 15 s",
            recovery: .seconds(240), bound: .none,
            inject: { scene in
                let addresses = ["http://no-such-host.invalid/", "http://169.254.169.254/latest/meta-data", "http://10.0.0.1/"]
                for person in 0..<FaultLoad.webhooks {
                    let recipient = "hook-\(person)"
                    // The command refuses such an address. A name that was good, or an older catalogue, leads there all the same.
                    try await scene.system.setWebhook(of: recipient, to: "\(scene.receiver.url)ok")
                    _ = try await scene.system.query(
                        """
                        update tidings.addresses set value = \(addresses[person % addresses.count])
                        where kind = 'webhook' and recipient_id = \(recipient)
                        """)
                }
                try await scene.holds(.seconds(15))
            }, heal: { try await $0.answersWell() },
            check: { scene in
                let refused = try await scene.system.count("select count(*) from tidings_ops.deliveries where state = 'failed'")
                #expect(refused > 0, "nothing was refused")
            }),
        FaultRow(
            number: "37", fault: "the same id again", injected: "1,000 ids again with the same body, then with another one",
            inject: { scene in
                let producer = try Producer(url: scene.system.amqpURL)
                let same = (0..<1_000).map { FaultLoad.intent($0, source: "again") }
                var other = same
                for position in other.indices { other[position].content.title = "Other" }
                for intents in [same, same, other] {
                    #expect(await producer.publish(intents).allSatisfy { $0 == .confirmed })
                    try await scene.moreConfirmed()
                }
                await producer.close()
                await scene.producer.alsoConfirmed(same.map(\.id))
            },
            check: { scene in
                let conflicts = try await scene.system.count(
                    "select coalesce(sum(occurrences), 0)::bigint from tidings_ops.rejected where reason_code = 'idempotencyConflict'")
                #expect(conflicts == 1_000, "\(conflicts) conflicts")
                let changed = try await scene.system.count(
                    "select count(*) from tidings.notifications where source = 'again' and title = 'Other'")
                #expect(changed == 0)
            }),
        FaultRow(
            number: "40", fault: "one entry kills its worker",
            injected: "50 deliveries in a pack, killed at `beforeSend` of one of them until it has ended",
            crew: ["router", "deliver", "release"], attempts: 5, recovery: .seconds(400), bound: .admitted,
            inject: { try await KillingEntry(scene: $0).publish() },
            heal: { try await KillingEntry(scene: $0).outlive() }, check: { try await KillingEntry(scene: $0).judge() }),
        FaultRow(
            number: "41", fault: "settings change while packs wait",
            injected: "no deliver for 3 hours of the clock; 3 of 9 people opt out meanwhile",
            load: .bursts, bound: .admitted,
            inject: { scene in
                // The workers finish the packs that they hold. Only waiting packs are judged again.
                try await scene.crew.stop("deliver")
                try await scene.moreConfirmed(2 * FaultLoad.perSecond)
                for person in 0..<3 { try await scene.tidings("recipient", "set", "hook-\(person)", "--prefer", "webhook=off") }
                _ = try await scene.system.query("update tidings.clock_offset set shift = shift + interval '3 hours'")
            },
            heal: { try await $0.crew.startAgain("deliver") },
            check: { scene in
                let rows = try await scene.system.query(
                    """
                    select replace(d.delivery_id, '/', '-'), (extract(epoch from r.changed_at) * 1000000)::bigint
                    from tidings_ops.deliveries d join tidings_ops.notifications n using (notification_id)
                    join tidings.recipients r on r.tenant = n.tenant and r.id = n.recipient_id
                    where n.recipient_id in ('hook-0', 'hook-1', 'hook-2') and d.channel = 'webhook'
                    """
                ).rows.map { try $0.decode((String, Int).self) }
                let times = try scene.receiver.acceptances()
                let late = rows.filter { delivery, optedOut in
                    times[delivery]?.contains { $0 > Timestamp(microseconds: Int64(optedOut)) } == true
                }
                #expect(late.isEmpty, "sent to people who had opted out")
            }),
    ]
}

extension FaultScene {
    /// Makes every webhook's host behave in one of these ways for a while.
    func answers(like behaviours: [String], for duration: Duration) async throws {
        try await FaultLoad.prepare(system, receiver: receiver, like: behaviours)
        try await holds(duration)
    }

    func answersWell() async throws { try await FaultLoad.prepare(system, receiver: receiver, like: answers) }
}

/// A delivery that kills every worker that tries to send it.
private struct KillingEntry {
    private static let victim = "hook-killer"
    private static let neighbours = 49
    /// The order that a worker gets in its environment.
    private static let order = "beforeSend=\(victim)"

    let scene: FaultScene

    func publish() async throws {
        try await scene.system.setWebhook(of: Self.victim, to: "\(scene.receiver.url)ok/killer")
        for person in 0..<Self.neighbours {
            try await scene.system.setWebhook(of: "beside-\(person)", to: "\(scene.receiver.url)ok/beside")
        }
        try await scene.crew.replace(scene.crew.position(of: "deliver"), dyingAt: Self.order)
        let recipients = [Self.victim] + (0..<Self.neighbours).map { "beside-\($0)" }
        let producer = try Producer(url: scene.system.amqpURL)
        let intents = recipients.map {
            IntentEvent(
                source: "/killer", id: $0, type: "orderUpdate", category: .transactional, recipients: [$0], title: "T", channels: [.webhook]
            )
        }
        #expect(await producer.publish(intents).allSatisfy { $0 == .confirmed })
        await producer.close()
        await scene.producer.alsoConfirmed(recipients)
    }

    /// Replaces the worker by another one that will die, until the deadly delivery has ended.
    func outlive() async throws {
        let position = try await scene.crew.position(of: "deliver")
        let ended = "select count(*) from tidings_ops.deliveries d join tidings_ops.notifications n using (notification_id)"
        let isOver = try await reached(within: .seconds(900), every: .milliseconds(200)) {
            if await !scene.crew.isRunning(position) { try await scene.crew.replace(position, dyingAt: Self.order) }
            return try await scene.system.count(
                "\(unsafe: ended) where n.recipient_id = \(Self.victim) and d.finished_at is not null") == 1
        }
        #expect(isOver, "what kills its worker goes on for ever")
        try await scene.crew.killAndReplace(position)
    }

    func judge() async throws {
        let states = try await scene.system.query(
            """
            select concat_ws(' ', d.state, d.reason_code, count(*)) from tidings_ops.deliveries d
            join tidings_ops.notifications n using (notification_id) where n.recipient_id like 'beside-%'
            group by d.state, d.reason_code order by 1
            """
        ).rows.map { try $0.decode(String.self) }
        #expect(states == ["delivered delivered \(Self.neighbours)"], "neighbours of a delivery that kills its worker ended as \(states)")
    }
}
