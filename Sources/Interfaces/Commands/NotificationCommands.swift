import ArgumentParser
import TidingsCore
import TidingsJSON
import TidingsServer
import TidingsStore

/// The option that limits the rows of a list.
struct ListOptions: ParsableArguments {
    @Option(help: "Rows at most.") var limit = Store.listLimit

    mutating func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit is from 1 to 10000") }
    }
}

struct NotificationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notification", abstract: "Accepted intents, one for each recipient.",
        subcommands: [List.self, Show.self, Cancel.self])

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "The newest first.")
        @Option(help: "Only this recipient's.") var recipient: String?
        @Option(help: "Only this type.") var type: String?
        @Option(help: "pending or done.") var state: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (recipient, type, state, limit, format) = (recipient, type, state, list.limit, output.format)
            try Choices.check(state, of: "state", isOneOf: ["pending", "done"])
            try await withStore { store, _ in
                let rows = try await store.operations.notifications(recipient: recipient, type: type, state: state, limit: limit)
                if rows.isEmpty { try await Choices.checkType(type, in: store) }
                Output.list(rows, as: format, empty: "no notification")
            }
        }
    }

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "One notification, as `tidings why`.")
        @Argument var id: String
        @OptionGroup var content: ContentOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (id, content, format) = (id, content.content, output.format)
            try await withStore { store, _ in try await explain(id, withContent: content, as: format, in: store) }
        }
    }

    struct Cancel: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "cancel",
            abstract: """
                Stop deliveries that have not begun. inFlight: a worker holds the delivery and may send it. onDevice: a device has the \
                delivery in its plan and is told to forget it.
                """)
        @Argument(help: "A notification id, or the producer's event id if it stands for one notification.") var id: String
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (id, format) = (id, output.format)
            try await withStore { store, _ in
                let notification = try await Self.one(id, in: store)
                guard let results = try await store.operations.cancel(notification, reason: .cancelledByOperator) else {
                    throw Failure(.bad, "no notification \(id)")
                }
                let rows = results.sorted { $0.key < $1.key }.map { ordinal, result in
                    [
                        "delivery_id": .string("\(notification)/\(ordinal)"),
                        "result": .string(result.rawValue),
                    ] as JSON
                }
                Output.list(rows, as: format, empty: "nothing was pending: every delivery had ended")
                if results.values.contains(.inFlight) { throw Failure(.bad, "some deliveries are in flight and may be sent") }
            }
        }

        /// Returns the one notification of the id. The id of a person or a delivery is refused: a cancel would stop more than the user
        /// named.
        private static func one(_ text: String, in store: Store) async throws -> NotificationID {
            let found = try await store.operations.find(text)
            let ids = notificationIDs(in: found) { record in
                switch record.matchedOn {
                case "notification_id": NotificationID(text) != nil
                case "idempotency_key": true
                default: false
                }
            }
            guard let id = ids.first else { throw try await noNotification(text, found, in: store) }
            guard ids.count == 1 else {
                throw Failure(
                    .data, "\(text) stands for several notifications: cancel each by its id",
                    hint: ids.prefix(shownIDs).map { "\($0)" }.joined(separator: " ") + (ids.count > shownIDs ? " …" : ""))
            }
            return id
        }

        /// Ids that the hint lists if one event made several notifications: enough to recognise them.
        private static let shownIDs = 5
    }
}

struct DeliveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delivery", abstract: "A notification on one channel.", subcommands: [List.self, Show.self, Retry.self])

    struct List: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "The newest first.")
        @Option(help: "Only this channel.") var channel: String?
        @Option(help: "held, queued, retrying, sent, delivered, suppressed, cancelled, expired or failed.") var state: String?
        @Option(help: "Only this reason code.") var reason: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (channel, state, reason, limit, format) = (channel, state, reason, list.limit, output.format)
            try Choices.check(channel, of: "channel", isOneOf: Channel.allCases.map(\.rawValue))
            try Choices.check(state, of: "state", isOneOf: DeliveryState.allCases.map(\.rawValue))
            try Choices.checkReason(reason)
            try await withStore { store, _ in
                Output.list(
                    try await store.operations.deliveries(channel: channel, state: state, reason: reason, limit: limit), as: format,
                    empty: "no delivery")
            }
        }
    }

    struct Show: TidingsCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "One delivery with its attempts.")
        @Argument(help: "notification/ordinal") var id: String
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let key = try DeliveryKey(parsing: id)
            let format = output.format
            try await withStore { store, _ in
                guard let found = try await store.operations.deliveries(of: key.notificationID).first(where: { $0.ordinal == key.ordinal })
                else { throw Failure(.bad, "no delivery \(key)") }
                let attempts = try await store.operations.attempts(of: key.notificationID).filter { $0.ordinal == key.ordinal }.map(\.row)
                if format == .text {
                    Output.one(found.row, as: format)
                    Output.list(attempts, as: format, empty: "no attempt yet")
                } else {
                    Output.one(["delivery": found.row, "attempts": .array(attempts)], as: format)
                }
            }
        }
    }

    struct Retry: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Try a failed or expired delivery again now. Tidings first decides anew whether to send it.")
        @Argument(help: "notification/ordinal") var id: String

        mutating func run(in context: CommandContext) async throws {
            let key = try DeliveryKey(parsing: id)
            try await withStore { store, _ in
                guard try await store.operations.retry(key) else {
                    throw Failure(.bad, "\(key) has not failed", hint: "tidings delivery show \(key)")
                }
                Output.note("\(key) is due now")
            }
        }
    }
}

extension DeliveryKey {
    /// Parses `notification/ordinal`. Throws a ``Failure`` with exit code 65 for any other text.
    init(parsing text: String) throws {
        let parts = text.split(separator: "/")
        // Ordinals are stored in 16 bits.
        guard parts.count == 2, let id = NotificationID(String(parts[0])), let ordinal = Int16(parts[1]), ordinal >= 0 else {
            throw Failure(.data, "\(text) is no delivery id", hint: "a notification id, a slash, a number: tidings delivery list")
        }
        self.init(id, Int(ordinal))
    }
}
