import ArgumentParser
import TidingsAMQP
import TidingsClient
import TidingsStore
import TidingsWire

struct RejectedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rejected", abstract: "Intents that were refused, each with its reason and its bytes.",
        subcommands: [List.self, Show.self, Replay.self, Discard.self])

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "The newest first.")
        @Option(help: "open, replayed or discarded.") var state: String?
        @Option(help: "Only this reason code.") var reason: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (state, reason, limit, format) = (state, reason, list.limit, output.format)
            try Choices.check(state, of: "state", isOneOf: ["open", "replayed", "discarded"])
            try await withStore { store, _ in
                Output.list(try await store.rejected(state: state, reason: reason, limit: limit), as: format, empty: "nothing was rejected")
            }
        }
    }

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "One rejected intent with its bytes as base64.")
        @Argument var id: Int64
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (id, format) = (id, output.format)
            try await withStore { store, _ in
                guard let found = try await store.rejected(id) else { throw Failure(.bad, "nothing rejected has the number \(id)") }
                Output.one(found, as: format)
            }
        }
    }

    struct Replay: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "replay", abstract: "Publish it again as it came, for example after its type was added to the catalogue.")
        @Argument var id: Int64

        mutating func run(in context: CommandContext) async throws {
            let id = id
            try await withStore { store, settings in
                guard let kept = try await store.keptRejected(id) else { throw Failure(.bad, "nothing rejected has the number \(id)") }
                guard kept.isReplayable else {
                    throw Failure(.bad, "\(id) cannot be replayed", hint: "only part of it was kept, or it would be refused again")
                }
                guard kept.state == "open", try await store.closeRejected(id, as: "replayed") else { throw notOpen(kept) }
                try await publishAgain(kept, settings) { try await store.reopenRejected(id) }
                Output.note("\(id) was published again")
            }
        }
    }

    struct Discard: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "discard", abstract: "Close it: nothing is to be done. The row stays.")
        @Argument var id: Int64

        mutating func run(in context: CommandContext) async throws {
            let id = id
            try await withStore { store, _ in
                guard try await store.closeRejected(id, as: "discarded") else { throw Failure(.bad, "nothing open has the number \(id)") }
            }
        }
    }
}

struct DeadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dead", abstract: "Messages that could not be processed.",
        subcommands: [List.self, Show.self, Replay.self, Discard.self])

    /// The states of a dead letter that nobody has dealt with.
    private static let openStates = ["open", "quarantined", "trying"]

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "The newest first.")
        @Option(help: "open, trying, replayed, resolved, quarantined or discarded.") var state: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (state, limit, format) = (state, list.limit, output.format)
            try Choices.check(state, of: "state", isOneOf: ["open", "trying", "replayed", "resolved", "quarantined", "discarded"])
            try await withStore { store, _ in
                Output.list(try await store.dead(state: state, limit: limit), as: format, empty: "no dead letter")
            }
        }
    }

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "One dead letter with its bytes as base64.")
        @Argument var id: Int64
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (id, format) = (id, output.format)
            try await withStore { store, _ in
                guard let found = try await store.dead(id) else { throw Failure(.bad, "no dead letter has the number \(id)") }
                Output.one(found, as: format)
            }
        }
    }

    struct Replay: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "replay", abstract: "Publish it again to where it came from.")
        @Argument var id: Int64

        mutating func run(in context: CommandContext) async throws {
            let id = id
            try await withStore { store, settings in
                guard let kept = try await store.keptDead(id) else { throw Failure(.bad, "no dead letter has the number \(id)") }
                guard DeadCommand.openStates.contains(kept.state), try await store.moveDead(id, from: [kept.state], to: "replayed") else {
                    throw notOpen(kept)
                }
                try await publishAgain(kept, settings) { _ = try await store.moveDead(id, from: ["replayed"], to: kept.state) }
                Output.note("\(id) was published again")
            }
        }
    }

    struct Discard: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "discard", abstract: "Close it: nothing is to be done. The row stays.")
        @Argument var id: Int64

        mutating func run(in context: CommandContext) async throws {
            let id = id
            try await withStore { store, _ in
                guard try await store.moveDead(id, from: DeadCommand.openStates, to: "discarded") else {
                    throw Failure(.bad, "nothing open has the number \(id)")
                }
            }
        }
    }
}

private func notOpen(_ kept: KeptMessage) -> Failure {
    Failure(.bad, "\(kept.id) had been acted on before: nothing was published", hint: "it was \(kept.state) when it was looked at")
}

/// Publishes a kept message to where it came from; throws unless the broker confirms.
///
/// Its row is claimed as replayed before, so that of two commands only one publishes, and `putBack` makes it open again when that fails. It may
/// have arrived all the same; that is harmless, for the same event is decided once.
private func publishAgain(_ kept: KeptMessage, _ settings: Settings, putBack: () async throws -> Void) async throws {
    do {
        try await publish(kept, settings)
    } catch {
        try await putBack()
        throw error
    }
}

private func publish(_ kept: KeptMessage, _ settings: Settings) async throws {
    let client = TidingsClient(settings.amqpOfCommand, connectionName: "tidings replay")
    let result = await client.publish(
        raw: kept.body, contentType: kept.contentType ?? "", exchange: kept.exchange, routingKey: kept.routingKey, id: "replay-\(kept.id)")
    await client.close()
    switch result {
    case .confirmed: return
    case .failed(let error): throw Failure(error)
    case .returned(let code, let text): throw Failure(.unavailable, "the broker returned it: \(code) \(text)")
    case .nacked: throw Failure(.unavailable, "the broker refused it")
    }
}
