import ArgumentParser
import TidingsPipeline
import TidingsPostgres
import TidingsServer
import TidingsStore

extension DatabaseCommand {
    /// Lets the processes use a database that a restore has put on a lower timeline.
    struct AcceptTimeline: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept-timeline",
            abstract: "After a restore: use this database although a process has seen a later timeline.",
            discussion: """
                Processes refuse a server on a timeline that another one has left behind, because it is an old primary. A restore of an \
                older state looks the same. Stop the server that was replaced before you run this command: a process that still uses it \
                makes the accepted timeline old again. The broker's user needs the permissions of the user topology.
                """)
        @Flag(help: "Do not only say what would be done.") var yes = false

        mutating func run(in context: CommandContext) async throws {
            let yes = yes
            try await withStore { store, settings in
                guard let timeline = try await store.timeline() else {
                    throw Failure(
                        .config, "the timeline of this server cannot be read, so no process refuses it", hint: "see tidings doctor")
                }
                let register = try BrokerTimelineRegister.make(configuration: try settings.amqpOfCommand)
                do {
                    try await Self.accept(timeline, by: register, yes: yes)
                    await register.close()
                } catch {
                    await register.close()
                    throw error
                }
            }
        }

        private static func accept(_ timeline: PostgresTimeline, by register: BrokerTimelineRegister, yes: Bool) async throws {
            let words = "timeline \(timeline.number) of the cluster \(timeline.system)"
            switch await register.answer(about: timeline) {
            case .current: return Output.note("\(words) is accepted already: no process has seen a later one")
            case .unknown: throw Failure(.unavailable, "the broker does not say whether \(words) is old", hint: "see tidings doctor")
            case .old: break
            }
            guard yes else {
                throw Failure(
                    .usage, "\(words) is older than one that a process has seen; nothing was changed",
                    hint: "if this database is the result of a restore, and the server before it is stopped, repeat this with --yes")
            }
            try await register.accept(timeline)
            Output.note("\(words) is accepted: the processes use this database within seconds")
        }
    }
}
