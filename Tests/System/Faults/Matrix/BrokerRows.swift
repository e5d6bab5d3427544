import Glibc
import PrivateServers
import Testing
import TidingsAMQP
import TidingsClient
import TidingsContracts
import TidingsJSON
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// A broker that dies, hangs, fills up or loses its declarations.
extension FaultRow {
    /// The delivery queues that the load uses.
    private static let webhookQueues = ["urgent", "bulk"].map { "tidings.deliver.webhook.webhook.\($0)" }
    /// The time for which an alarm stays on.
    private static let alarm = Duration.seconds(20)

    static let brokers = [
        FaultRow(
            number: "7", fault: "broker crash", injected: "kill -9 of the node, then started again",
            inject: { try await $0.servers.killBroker() }, heal: { try await $0.servers.startBroker() }),
        FaultRow(
            number: "13", fault: "frozen broker", injected: "SIGSTOP of the node for 30 s",
            inject: { scene in
                try await scene.servers.pauseBroker()
                try await scene.holds(.seconds(30))
            },
            heal: { try await $0.servers.resumeBroker() }),
        FaultRow(
            number: "15", fault: "memory alarm", injected: "`set_vm_memory_high_watermark 0.0001` for 20 s",
            inject: { scene in
                try await scene.servers.raisesAlarm("memory", by: ["set_vm_memory_high_watermark", "0.0001"])
                try await scene.holds(alarm)
            },
            heal: { try await $0.servers.rabbitmqctl(["set_vm_memory_high_watermark", "0.4"]) }),
        FaultRow(
            number: "16", fault: "disk alarm", injected: "`set_disk_free_limit 500000GB` for 20 s",
            inject: { scene in
                try await scene.servers.raisesAlarm("disk", by: ["set_disk_free_limit", "500000GB"])
                try await scene.holds(alarm)
            },
            heal: { try await $0.servers.rabbitmqctl(["set_disk_free_limit", "200MB"]) }),
        FaultRow(
            number: "17", fault: "delivery queues deleted", injected: "`queue.delete` of both webhook queues, three times",
            recovery: .seconds(180),
            inject: { scene in
                for _ in 0..<3 {
                    try await scene.withControl { control in for queue in webhookQueues { try await control.deleteQueue(queue) } }
                    try await scene.moreConfirmed()
                }
            }),
        FaultRow(
            number: "18", fault: "queues full", injected: "policy `max-length` 20 on every intents and deliver queue, for 20 s",
            inject: { scene in
                // The arguments of the queues already say reject-publish.
                try await scene.servers.rabbitmqctl([
                    "set_policy", "--apply-to", "queues", "full", #"^tidings\.(intents|deliver)\."#, #"{"max-length": 20}"#,
                ])
                await scene.crew.signal("router", SIGSTOP)
                await scene.crew.signal("deliver", SIGSTOP)
                try await scene.holds(.seconds(10))
                await scene.crew.signal("router", SIGCONT)
                await scene.crew.signal("deliver", SIGCONT)
                try await scene.holds(.seconds(10))
            },
            heal: { try await $0.servers.rabbitmqctl(["clear_policy", "full"]) }),
        FaultRow(
            number: "19", fault: "binding and exchange removed",
            injected: "intake unbound for 5 s, `tidings.deliver` deleted for 10 s, then `queue topology --apply`", recovery: .seconds(180),
            inject: { scene in
                try await scene.withControl { control in
                    try await control.unbind(
                        Binding(queue: "tidings.intents.urgent", exchange: "tidings.intents", routingKey: "transactional.#"))
                }
                try await scene.holds(.seconds(5))
                try await scene.withControl { try await $0.deleteExchange("tidings.deliver") }
                try await scene.holds(.seconds(10))
            },
            heal: { try await $0.tidings("queue", "topology", "--apply") }),
        FaultRow(
            number: "20", fault: "nowhere for dead letters to go",
            injected: "`tidings.suspect` deleted, router killed 21 times with the same messages",
            recovery: .seconds(300),
            inject: { scene in
                // The broker's dead-letter worker would otherwise try again only every three minutes.
                try await scene.servers.rabbitmqctl([
                    "eval", "application:set_env(rabbit, dead_letter_worker_publisher_confirm_timeout, 5000).",
                ])
                try await scene.withControl { control in
                    try await control.deleteExchange("tidings.suspect")
                    try await control.deleteQueue("tidings.suspect")
                }
                try await scene.crew.dies(at: .beforeRoute, times: Int(TopologySpec.deliveryLimit) + 1, pass: 1)
                try await scene.holds(.seconds(5))
            },
            heal: { try await $0.tidings("queue", "topology", "--apply") }),
        FaultRow(
            number: "21", fault: "poison", injected: "400 messages: no JSON, 1 MB, NUL, not UTF-8, packs that are none",
            inject: { try await Poison(scene: $0).publish() },
            check: { scene in
                let refused = try await scene.system.count("select sum(occurrences)::bigint from tidings_ops.rejected")
                #expect(refused >= Poison.intents, "\(refused) were refused")
                #expect(try await scene.system.count("select count(*) from tidings_ops.dead_letters") == Poison.packs)
            }),
        FaultRow(
            number: "22", fault: "a handler outlives `consumer_timeout`",
            injected: "`consumer_timeout` 1 s, no database until a channel is closed",
            bound: .callsOfAWorker,
            inject: { scene in
                // The setting applies to channels opened from now on, such as those of a replaced router.
                try await scene.servers.rabbitmqctl([
                    "eval",
                    "application:set_env(rabbit, consumer_timeout, 1000), application:set_env(rabbit, channel_tick_interval, 200).",
                ])
                try await scene.crew.killAndReplace(scene.crew.position(of: "router"))
                try await scene.moreConfirmed()
                // Without a database, a router keeps its messages and does not acknowledge them.
                try await scene.servers.stopDatabase()
                let isClosed = try await reached(within: .seconds(60)) { await scene.crew.hasSaid("PRECONDITION_FAILED") }
                #expect(isClosed, "the broker closed no channel")
            },
            heal: { try await $0.servers.startDatabase() }),
        FaultRow(
            number: "38", fault: "an alarm that the backlog itself raised",
            injected: "no router for 10 s, then memory alarm; routers back, alarm stays 20 s",
            inject: { scene in
                await scene.crew.signal("router", SIGSTOP)
                try await scene.holds(.seconds(10))
                try await scene.servers.raisesAlarm("memory", by: ["set_vm_memory_high_watermark", "0.0001"])
                await scene.crew.signal("router", SIGCONT)
                let waiting: @Sendable () async throws -> Int = {
                    try await scene.withControl { control in
                        try await control.queueStatus("tidings.intents.urgent").map(\.messages) ?? 0
                    }
                }
                let isDrained = try await reached(within: alarm, every: .milliseconds(500)) { try await waiting() == 0 }
                #expect(isDrained, "intents still wait behind the alarm")
            },
            heal: { try await $0.servers.rabbitmqctl(["set_vm_memory_high_watermark", "0.4"]) }),
    ]
}

extension PrivateServers {
    /// RabbitMQ checks its memory every second, and its disk at least every 10 s.
    private static let alarmLag = Duration.seconds(30)

    /// Sets a limit that is already exceeded. Returns when the broker's alarm is on, which blocks every publisher.
    func raisesAlarm(_ resource: String, by setting: [String]) async throws {
        try await rabbitmqctl(setting)
        let isUp = try await reached(within: Self.alarmLag) {
            try await rabbitmqctl(["eval", "rabbit_alarm:get_alarms()."]).contains("{resource_limit,\(resource),")
        }
        guard isUp else { throw TestSystemError(message: "the broker raised no alarm for its \(resource)") }
    }
}

extension FaultScene {
    /// Runs the body with a connection that has every right.
    func withControl<Result: Sendable>(_ body: (AMQPControl) async throws -> Result) async throws -> Result {
        let control = try AMQPControl.make(configuration: try AMQPConfiguration(url: system.amqpURL), connectionName: "fault")
        do {
            let result = try await body(control)
            await control.close()
            return result
        } catch {
            await control.close()
            throw error
        }
    }
}

/// Messages that no role can read.
private struct Poison {
    static let each = 80
    static let intents = 4 * each
    static let packs = each

    let scene: FaultScene

    func publish() async throws {
        let producer = try Producer(url: scene.system.amqpURL)
        for number in 0..<Self.each {
            for body in Self.bodies(number) {
                #expect(
                    await producer.publish(
                        raw: body, contentType: "application/cloudevents+json", exchange: QueueNames.intentsExchange,
                        routingKey: "transactional.orderUpdate", id: "poison") == .confirmed)
            }
            #expect(
                await producer.publish(
                    raw: Array("no pack \(number)".utf8), contentType: Pack.contentType, exchange: QueueNames.deliverExchange,
                    routingKey: "tidings.deliver.webhook.webhook.urgent", id: "poison") == .confirmed)
        }
        await producer.close()
    }

    private static func bodies(_ number: Int) -> [[UInt8]] {
        let head =
            #"{"specversion":"1.0","id":"poison-\#(number)","source":"/poison","type":"orderUpdate","data":{"recipient":"ann","title":""#
        return [
            Array("{\"specversion\": ".utf8), Array((head + String(repeating: "x", count: 1 << 20) + "\"}}").utf8),
            Array((head + #"a\u0000b"}}"#).utf8), Array(head.utf8) + [0xC3, 0x28] + Array("\"}}".utf8),
        ]
    }
}
