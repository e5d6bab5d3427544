import ArgumentParser
import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

/// The exchanges and queues on the broker.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "The exchanges and queues on the broker.", subcommands: [Topology.self])

    struct Topology: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "topology", abstract: "Compare the broker with the active catalogue; exit 1 when they differ.",
            discussion: """
                A role declares missing exchanges and queues at its start, if its broker user may. If that user may not, run --apply once
                as a user who may. --permissions prints the rights that each role's user then needs.
                """)

        @Flag(help: "Declare missing exchanges and queues. Existing ones are never changed.") var apply = false
        @Flag(help: "Print the least permissions, for rabbitmqctl set_permissions.") var permissions = false
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            if permissions { return Output.list(BrokerPermissions.all.map(\.json), as: output.format, empty: "") }
            let (apply, format) = (apply, output.format)
            try await withStore { store, settings in
                let topology = TidingsAMQP.Topology(of: try await CatalogueSource(store, builtIn: .ofBinary).current.catalogue)
                let control = try AMQPControl.make(configuration: try settings.amqp, connectionName: "tidings queue")
                do {
                    try await BrokerVersion.check(control)
                    if apply { try await topology.declare(on: control) }
                    let drifts = try await topology.check(on: control)
                    await control.close()
                    Output.faults(drifts.map(\.json), as: format, sound: topology.soundSentence(isDeclared: apply))
                    if drifts.contains(where: \.isProblem) {
                        throw Failure(.bad, "the broker differs from the catalogue", hint: hint(drifts))
                    }
                } catch {
                    await control.close()
                    throw error
                }
            }
        }

        private func hint(_ drifts: [TopologyDrift]) -> String {
            drifts.contains { $0.problem == .missing }
                ? "add --apply to declare what is missing"
                : "RabbitMQ cannot change what exists: delete it once it is empty, and apply again"
        }
    }
}

extension TidingsAMQP.Topology {
    /// The answer if nothing differs. AMQP cannot read bindings, so only a declaration knows that they exist.
    fileprivate func soundSentence(isDeclared: Bool) -> String {
        let compared = "the broker has everything: \(exchanges.count) exchanges, \(queues.count) queues"
        return isDeclared ? "\(compared), \(bindings.count) bindings" : "\(compared); bindings cannot be read, --apply declares them again"
    }
}

extension TopologyDrift {
    /// Whether the broker differs. If the user lacks the right to compare, no difference is known.
    var isProblem: Bool {
        if case .unverified = problem { false } else { true }
    }

    fileprivate var json: JSON {
        let (kind, name): (String, String) =
            switch thing {
            case .exchange(let name): ("exchange", name)
            case .queue(let name): ("queue", name)
            }
        let (word, detail): (String, String) =
            switch problem {
            case .missing: ("missing", "")
            case .different(let text): ("different", text)
            case .unverified(let text): ("notCompared", text)
            }
        return ["kind": .string(kind), "name": .string(name), "problem": .string(word), "detail": .string(detail)]
    }
}

extension BrokerPermissions {
    fileprivate var json: JSON {
        ["user": .string(user), "configure": .string(configure), "write": .string(write), "read": .string(read)]
    }
}
