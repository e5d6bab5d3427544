import TidingsAMQP
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsModules
import TidingsPipeline
import TidingsPostgres
import TidingsProvider
import TidingsServer
import TidingsStore

/// The checks of `tidings doctor` that ask the machine and the servers, and their findings so far.
struct Examination {
    var findings: [Finding] = []
    var reading: SystemReading?
    /// The active catalogue. Nil if it could not be read.
    private var catalogue: Catalogue?
    /// The timeline of the server. Nil if it was not read; the inner nil: it cannot be read.
    private var timeline: PostgresTimeline??

    /// The longest wait for a commit. It outlasts a slow disk.
    private static let commitPatience = Duration.seconds(5)

    mutating func zoneData(_ settings: Settings) {
        findings += ZoneDataCheck(in: settings.environment).findings
    }

    mutating func proof(_ settings: Settings) { findings += ServerProof(settings).findings }

    mutating func database(_ settings: Settings, _ context: CommandContext) async {
        let store = Store(settings.database, size: 1, name: "tidings doctor", log: ConnectNote().note)
        // Not awaited: a defer cannot await, and a database that hangs must not delay the answer. The process ends with the command.
        defer { Task { await store.close() } }
        // Print these after the line about the database, also if this user may not read the schema: a missing right is the usual cause.
        var rights: [Finding] = []
        do {
            let faults = try await store.serverFaults()
            findings += faults.map(Finding.init)
            rights = try await store.missingRights(with: context.modules.schemaParts).findings
            let schema = try await store.open()
            try await store.requireTables(of: context.modules.schemaParts, onSchema: schema)
            findings.append(.ok("database", "schema \(schema), clocks agree"))
            if schema > Migration.latest {
                findings.append(
                    Finding(
                        "database", .note, .schemaNewer,
                        "this binary knows schema \(Migration.latest), and a newer one migrated the database",
                        whatToDo: "Replace this binary when the upgrade goes on."))
            }
            // The rights of a newer schema are those of the newer binary.
            if schema <= Migration.latest { findings += rights }
            rights = []
            let broad = try await store.operations.broadAPILogins()
            if !broad.isEmpty { findings.append(.broadLogins(broad)) }
            findings += try Durability(try await store.operations.durability()).findings
            if try await store.compilesStatements() { findings.append(.compiledStatements) }
            await readCatalogue(settings, context, store)
            timeline = .some(try await store.timeline())
            reading = try await SystemRows(from: store).reading
            // No finding if this user may not write the message. A server that answers nothing fails the checks before this one.
            if reading?.needsProofOfCommits == true, let ends = try? await store.operations.commitEnds(within: Self.commitPatience) {
                reading?.observe(commitEnds: ends)
            }
        } catch {
            findings.append(Finding("database", .error, .databaseFailed, Failure(error).message, whatToDo: Failure(error).hint ?? ""))
            findings += rights
        }
    }

    /// A catalogue that cannot be read is a finding of its own: the other checks of the database do not need it.
    private mutating func readCatalogue(_ settings: Settings, _ context: CommandContext, _ store: Store) async {
        do {
            let catalogue = try await CatalogueSource(store, builtIn: .ofBinary).current.catalogue
            self.catalogue = catalogue
            let problems = await context.providers.problems(of: catalogue, environment: settings.environment)
            let (missing, wrong) = (problems.filter(\.isMissing), problems.filter { !$0.isMissing })
            findings.append(
                wrong.isEmpty
                    ? .ok("catalogue", "\(catalogue.types.count) types, hash \(catalogue.hash.prefix(16))")
                    : Finding(
                        "catalogue", .error, .catalogueProblems, wrong.map(\.description).joined(separator: "; "),
                        whatToDo: "Correct the catalogue or the setting, and apply it again."))
            if catalogue.producers.isEmpty { findings += Self.unguarded(try await store.keys.tenants()) }
            if !missing.isEmpty {
                findings.append(
                    Finding(
                        "secrets", .note, .secretsMissingHere, missing.map(\.description).joined(separator: "; "),
                        whatToDo: "Run doctor with the environment of the deliver role: that role reads the secrets."))
            }
        } catch let error as PostgresError where error.sqlState == "42501" {
            findings.append(
                Finding(
                    "catalogue", .note, .notPermitted, "not checked: this user of the database may not read it",
                    whatToDo: "Use a database user that is a member of tidings_run."))
        } catch let error as PostgresError {
            let failure = Failure(error)
            findings.append(
                Finding("catalogue", .error, .databaseFailed, "not checked: \(failure.message)", whatToDo: failure.hint ?? ""))
        } catch {
            findings.append(
                Finding(
                    "catalogue", .error, .catalogueProblems, "this binary cannot read the active catalogue: \(error)",
                    whatToDo: "Use the binary that applied it, or apply another catalogue."))
        }
    }

    /// A key that is bound to a tenant suggests that tenants are kept apart. Without producers in the catalogue, only the API does so.
    private static func unguarded(_ tenants: [String]) -> [Finding] {
        guard let first = tenants.first else { return [] }
        let others = tenants.count > 1 ? " and \(tenants.count - 1) more" : ""
        return [
            Finding(
                "tenants", .warning, .tenantsUnguarded,
                "API keys are bound to the tenant \(first)\(others), and the catalogue names no producers: any AMQP user and any member of "
                    + "tidings_produce may name these tenants",
                whatToDo: "Name the producers and their tenants in the catalogue, under producers.")
        ]
    }

    mutating func broker(_ settings: Settings) async {
        guard settings.hasBroker else {
            findings.append(
                Finding(
                    "broker", .note, .noBroker, "not asked: TIDINGS_AMQP_URL is not set", whatToDo: "Set it to have the broker checked."))
            return
        }
        do {
            let control = try AMQPControl.make(configuration: try settings.amqp, connectionName: "tidings doctor")
            do {
                try await ask(control, publishingTo: try settings.amqpOfCommand)
            } catch {
                findings.append(Finding("broker", .error, .brokerFailed, Failure(error).message, whatToDo: Failure(error).hint ?? ""))
            }
            await control.close()
            if let timeline { await examine(timeline, by: try .make(configuration: try settings.amqpOfCommand)) }
        } catch {
            findings.append(Finding("broker", .error, .brokerFailed, Failure(error).message, whatToDo: Failure(error).hint ?? ""))
        }
    }

    private mutating func examine(_ timeline: PostgresTimeline?, by register: BrokerTimelineRegister) async {
        let answer = if let timeline { await register.answer(about: timeline) } else { TimelineAnswer.unknown }
        await register.close()
        findings.append(Finding(timeline: timeline, answer))
    }

    private mutating func ask(_ control: AMQPControl, publishingTo broker: AMQPConfiguration) async throws {
        let version = BrokerVersion(try await control.serverProperties())
        if let fault = version.fault {
            findings.append(Finding("broker", .error, .brokerTooOld, fault, whatToDo: BrokerVersion.remedy))
        }
        findings.append(Finding(await PublishTrial.run(broker)))
        // Only the active catalogue says which queues must exist. By the built-in one, sound queues would look wrong.
        guard let catalogue else {
            findings.append(
                Finding(
                    "broker", .note, .notCompared, "\(version) answers; its queues were not compared with the catalogue, which was not read"
                ))
            return
        }
        let topology = Topology(of: catalogue)
        let drifts = try await topology.check(on: control)
        if drifts.isEmpty { findings.append(.ok("broker", "\(version), exchanges and queues as declared")) }
        findings += drifts.filter(\.isProblem).map(Finding.init)
        let unknown = drifts.filter { !$0.isProblem }
        // One note for all of them: a user who may not configure can compare nothing.
        if let first = unknown.first {
            let others = unknown.count > 1 ? "; \(unknown.count - 1) more could not be compared" : ""
            findings.append(
                Finding("broker", .note, .notCompared, "\(first)\(others)", whatToDo: "A user that may configure tidings.* can compare it.")
            )
        }
        for queue in TopologySpec.spec(for: catalogue).workQueues {
            guard let status = try await control.queueStatus(queue.name) else { continue }
            reading?.observe(queue: queue.name, ready: status.messages, consumers: status.consumers)
        }
    }
}

extension Finding {
    fileprivate static let compiledStatements = Finding(
        "database", .note, .jitOn, "jit is on: a query over all days in psql, or of a dashboard, may take seconds instead of milliseconds",
        whatToDo: "alter database <name> set jit = off. Sessions of Tidings turn jit off themselves.")

    fileprivate static func broadLogins(_ logins: [String]) -> Finding {
        Finding(
            "rights", .note, .broadLogin,
            "the API logs in as \(logins.joined(separator: ", ")), which may read the secrets of webhooks or add API keys",
            whatToDo: "Serve the API with tidings run api, and give this process a login of its own in the role tidings_run_api.")
    }

    fileprivate init(_ drift: TopologyDrift) {
        switch drift.problem {
        case .missing:
            self.init("broker", .error, .brokerDiffers, "\(drift)", whatToDo: "Start a role, or run tidings queue topology --apply.")
        case .different:
            self.init(
                "broker", .error, .brokerDiffers, "\(drift)",
                whatToDo: "RabbitMQ cannot change what exists: delete it once it is empty. The next role that starts declares it again.")
        case .unverified:
            self.init("broker", .note, .notCompared, "\(drift)", whatToDo: "A user that may configure tidings.* can compare it.")
        }
    }

    fileprivate init(_ trial: PublishTrial.Result) {
        switch trial {
        case .confirmed: self = .ok("broker", "a majority of the nodes of \(QueueNames.doctorQueue) confirmed a message")
        case .notProven(let reason):
            self.init(
                "broker", .note, .notPublished, "not checked whether the broker confirms: \(reason)",
                whatToDo: "Run tidings queue topology --apply once, and doctor as the user of a router or a releaser.")
        case .blocked(let reason):
            self.init(
                "broker", .error, .brokerBlocks, "the broker has an alarm and takes no message: \(reason)", whatToDo: Judgement.alarmRemedy)
        case .silent:
            self.init(
                "broker", .error, .brokerConfirmsNothing, "the broker has not confirmed a message within \(PublishTrial.patience)",
                whatToDo: Judgement.silentBrokerRemedy)
        case .refused:
            self.init(
                "broker", .error, .brokerRefuses, "the broker refused each message within \(PublishTrial.patience)",
                whatToDo: Judgement.refusingBrokerRemedy)
        case .failed(let error):
            self.init("broker", .error, .brokerFailed, Failure(error).message, whatToDo: Failure(error).hint ?? "")
        }
    }

    fileprivate init(_ fault: ServerFault) {
        let code: Code =
            switch fault.kind {
            case .encoding: .databaseNotUTF8
            case .version: .databaseTooOld
            case .strings: .stringsNotStandard
            }
        self.init("database", .error, code, fault.words, whatToDo: fault.whatToDo)
    }
}
