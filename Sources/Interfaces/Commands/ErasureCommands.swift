import ArgumentParser
import TidingsCore
import TidingsJSON
import TidingsModules
import TidingsServer
import TidingsStore

/// The erasure and the export of people.
extension RecipientCommand {
    struct Erase: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "erase", abstract: "Erase a person from every place that Tidings has.",
            discussion: """
                From the first moment everything that arrives for the person is dropped as recipientErased, and within 2 seconds no call for
                the person begins. A release role deletes everything else. The command waits for the end and prints the number of erased
                rows by place. The same command, while the erasure runs, waits for the same erasure. Exit code 75 when --timeout passed: the
                erasure goes on.
                """)
        @Argument(help: "The id of the person.") var id: String
        @Option var tenant = Intent.defaultTenant
        @Flag(help: "Do not wait for the end.") var noWait = false
        @Option(help: "Seconds to wait.") var timeout = 300
        @OptionGroup var author: PauseAuthor
        @OptionGroup var output: OutputOptions

        /// A row of the database sends no signal to a command.
        private static let look = Duration.milliseconds(200)
        private static let longestTimeout = 86_400

        mutating func validate() throws {
            guard (1...Self.longestTimeout).contains(timeout) else {
                throw ValidationError("--timeout is from 1 to \(Self.longestTimeout) seconds")
            }
        }

        mutating func run(in context: CommandContext) async throws {
            let (id, tenant, noWait, timeout) = (id, tenant, noWait, timeout)
            let (author, format) = (try author.checked(), output.format)
            try checkPerson(id, tenant: tenant)
            try await withStore { store, _ in
                let erasure = try await store.erasures.request(of: RecipientKey(tenant: tenant, id: id), by: author)
                guard noWait else {
                    // Print the id before the wait: a user who interrupts the wait must still know it.
                    Output.note("erasure \(erasure) runs; to ask later: tidings recipient erasure \(erasure)")
                    return Output.one(try await Self.report(of: erasure, in: store, within: timeout), as: format)
                }
                Output.one(try await RecipientCommand.erasure(erasure, in: store), as: format)
            }
        }

        /// Waits until the erasure is done.
        private static func report(of id: NotificationID, in store: Store, within seconds: Int) async throws -> JSON {
            let deadline = ContinuousClock.now + .seconds(seconds)
            while true {
                let row = try await RecipientCommand.erasure(id, in: store)
                let progress = try ErasureProgress(row)
                if progress.isDone { return row }
                guard ContinuousClock.now < deadline else {
                    let obstacle = progress.obstacle.map { ", waits for \($0)" } ?? ""
                    throw Failure(
                        .timedOut, "the erasure \(id) is not done after \(seconds) s: step \(progress.step)\(obstacle)",
                        hint: "it goes on while a release role runs; see tidings recipient erasure \(id)")
                }
                // Poll: a committed row signals nobody.
                try await Task.sleep(for: look)
            }
        }
    }

    struct Erasure: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "erasure", abstract: "An erasure, or the latest ones: who asked, how far they are, and what was erased.")
        @Argument(help: "The id of an erasure; without it, the latest ones.") var id: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var output: OutputOptions

        mutating func run(in context: CommandContext) async throws {
            let (limit, format) = (list.limit, output.format)
            let one = try id.map { text in
                guard let id = NotificationID(text) else { throw Failure(.data, "\(text) is no id of an erasure") }
                return id
            }
            try await withStore { store, _ in
                guard let one else {
                    return Output.list(try await store.erasures.list(limit: limit), as: format, empty: "nobody was erased")
                }
                Output.one(try await RecipientCommand.erasure(one, in: store), as: format)
            }
        }
    }

    struct Export: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Print everything that is stored about a person, as one JSON document.",
            discussion: """
                The document has the form of schemas/recipient-export.schema.json. It has the last 8 characters of an address, and no
                secrets. If the command fails, the document is not whole.
                """)
        @Argument(help: "The id of the person.") var id: String
        @Option var tenant = Intent.defaultTenant

        mutating func run(in context: CommandContext) async throws {
            let (id, tenant, projections) = (id, tenant, context.modules.projections)
            try checkPerson(id, tenant: tenant)
            try await withStore(requiring: context.modules.schemaParts) { store, _ in
                var export = PersonalExport(of: RecipientKey(tenant: tenant, id: id), from: store, projections: projections)
                while let bytes = try await export.next() { Output.part(String(decoding: bytes, as: UTF8.self)) }
            }
        }
    }

    struct Readmit: TidingsCommand {
        static let configuration = CommandConfiguration(
            commandName: "readmit", abstract: "Let an erased person be stored again.",
            discussion: """
                Ends the tombstone of a finished erasure before its time. Erased data stays erased. Events that are still on their way are
                accepted, also older ones than the erasure.
                """)
        @Argument(help: "The id of the person.") var id: String
        @Option var tenant = Intent.defaultTenant
        @OptionGroup var author: PauseAuthor

        mutating func run(in context: CommandContext) async throws {
            let (id, tenant, author) = (id, tenant, try author.checked())
            try checkPerson(id, tenant: tenant)
            try await withStore { store, _ in
                let name = Table.cell(.string(id))
                switch try await store.erasures.readmit(RecipientKey(tenant: tenant, id: id), by: author) {
                case .readmitted: Output.note("readmitted \(name): the person may be stored again")
                case .notErased: Output.note("nothing to change: \(name) has no tombstone")
                case .running:
                    throw Failure(.bad, "the erasure of \(name) is not done", hint: "readmit the person when tidings recipient erase ends")
                }
            }
        }
    }

    fileprivate static func erasure(_ id: NotificationID, in store: Store) async throws -> JSON {
        guard let row = try await store.erasures.row(id, tenant: nil) else {
            throw Failure(.bad, "there is no erasure \(id)", hint: "tidings recipient erasure lists the latest ones")
        }
        return row
    }
}
