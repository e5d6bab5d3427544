import Foundation
import Glibc
import Testing
import TidingsPipeline
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// Roles that die, hang or are asked to stop.
extension FaultRow {
    /// The time that a supervisor waits before it kills.
    private static let grace = Duration.seconds(25)
    /// The number of deaths of each role in the crash loop. ``seed`` decides their order. TIDINGS_FAULT_SEED sets another seed.
    private static let deaths = 20
    static let seed = ProcessInfo.processInfo.environment["TIDINGS_FAULT_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)

    static let processes = [
        FaultRow(
            number: "1", fault: "producer killed amid its batches",
            injected: "kill -9 of a producer with 8 connections, twice; the same ids again",
            inject: { scene in
                // The producer starts three times with its first id. Every confirm of every run counts.
                for _ in 0..<2 {
                    let victim = try PikaProducer(url: scene.system.amqpURL, source: "killed", folder: scene.folder)
                    try await victim.confirmed(atLeast: 500)
                    victim.kill()
                    _ = try? await victim.run()
                    await scene.producer.alsoConfirmed(try victim.ledger())
                }
                let last = try PikaProducer(url: scene.system.amqpURL, source: "killed", folder: scene.folder)
                try await last.confirmed(atLeast: 1_000)
                last.stop()
                try await last.run()
                await scene.producer.alsoConfirmed(try last.ledger())
            }),
        FaultRow(
            number: "2", fault: "router killed after its commit, before its ack", injected: "killed at `afterRoute`, twice in a row",
            inject: { try await $0.crew.dies(at: .afterRoute) }),
        FaultRow(
            number: "3", fault: "deliver killed after the provider's 2xx, before its commit",
            injected: "killed at `afterSend`, twice in a row",
            bound: .atMost(3 * 128), inject: { try await $0.crew.dies(at: .afterSend) }),
        FaultRow(
            number: "4", fault: "crash loop", injected: "\(deaths) random kill -9 of each role, seed \(seed)", bound: .atMost(deaths * 128),
            inject: { scene in
                var random = SplitMix64(state: seed)
                let victims = ["router", "deliver", "release"].flatMap { Array(repeating: $0, count: deaths) }.shuffled(using: &random)
                for role in victims {
                    let places = try await scene.crew.positions(of: role)
                    try await scene.crew.killAndReplace(places[Int.random(in: places.indices, using: &random)])
                    try await scene.moreConfirmed(Int.random(in: 1...FaultLoad.perSecond / 2, using: &random))
                }
            },
            check: { scene in
                // A dying process must not fail the deliveries that it held, nor quarantine the messages. None of them caused the death.
                let failed = try await scene.system.count("select count(*) from tidings_ops.deliveries where state = 'failed'")
                let quarantined = try await scene.system.count("select count(*) from tidings_ops.dead_letters where state = 'quarantined'")
                #expect(failed == 0 && quarantined == 0, "\(failed) deliveries were given up, \(quarantined) messages set aside")
            }),
        FaultRow(
            number: "5", fault: "zombie worker", injected: "SIGSTOP of both deliver for 2 leases, then SIGCONT", bound: .atMost(2 * 128),
            inject: { scene in
                await scene.crew.signal("deliver", SIGSTOP)
                try await scene.holds(.seconds(2 * Store.leaseSeconds))
            },
            heal: { await $0.crew.signal("deliver", SIGCONT) }),
        FaultRow(
            number: "6", fault: "graceful stop under load", injected: "SIGTERM to each process in turn",
            inject: { scene in
                for position in 0..<(await scene.crew.count) {
                    let stop = try await scene.crew.stopAndReplace(position)
                    #expect(stop.exitCode == 0 && stop.took < grace, "exit \(stop.exitCode) after \(stop.took)")
                    try await scene.moreConfirmed(FaultLoad.perSecond / 2)
                }
            }),
        FaultRow(
            number: "30", fault: "two releasers, one paused", injected: "SIGSTOP of one for 30 s, then SIGCONT",
            crew: ["router", "deliver", "release", "release"],
            inject: { scene in
                let position = try await scene.crew.position(of: "release")
                await scene.crew.signal(at: position, SIGSTOP)
                try await scene.holds(.seconds(30))
                await scene.crew.signal(at: position, SIGCONT)
            }),
        FaultRow(
            number: "36", fault: "file descriptors run out",
            injected: "a router and a deliver with `ulimit -n 16` beside the others, then gone",
            bound: .callsOfAWorker,
            inject: { scene in
                let starved = try ["router", "deliver"].map { role in
                    try TestProcess(
                        ["/bin/sh", "-c", "ulimit -n 16; exec \"$0\" run \(role)", TestSystem.binary], environment: scene.system.environment
                    )
                }
                try await scene.holds(.seconds(10))
                for process in starved {
                    process.signal(SIGKILL)
                    let end = await process.finish()
                    #expect(![SIGILL, SIGTRAP, SIGABRT].contains(end.exitCode), "a trap: \(end.errors.suffix(300))")
                }
            }),
    ]

    static let steps = FaultStep.allCases.map { step in
        FaultRow(
            number: "39.\(step.rawValue)", fault: "death at `\(step.rawValue)`", injected: "twice in a row, half-settled packs, cancels",
            crew: ["router", "deliver", "release"], load: .bursts, cancels: true, bound: .admitted,
            inject: { scene in
                let isRare = step == .beforeRecover || step == .afterRecover
                try await scene.crew.dies(at: step, pass: isRare ? 1 : 3) {
                    // A recovery needs a worker that has died before.
                    if isRare { try await scene.workerDiesHoldingPacks() }
                }
            })
    }
}
