import Foundation
import Glibc
import Testing
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// The exit codes and the output on which scripts rely.
@Suite struct CommandLineTests {
    private static let unknown = "01890000-0000-7000-8000-000000000000"

    /// The arguments, and a text that standard error must contain. Bad input gives exit code 65, one clear line, and nothing on standard
    /// output.
    static let badInput: [([String], String)] = [
        (["recipient", "set", "p", "--time-zone", "Mars/Phobos"], "Mars/Phobos"),
        (["recipient", "set", "p", "--quiet-hours", "25:00-07:00"], "25:00-07:00"),
        (["recipient", "set", "p", "--quiet-hours", "22:00"], "HH:MM-HH:MM"),
        (["recipient", "set", "p", "--market", "atlantis"], "atlantis"),
        (["recipient", "set", "p", "--prefer", "pigeon=off"], "pigeon"),
        (["recipient", "set", "p", "--prefer", "push=maybe"], "push=maybe"),
        (["recipient", "set", "p", "--prefer", "type:socal=off"], "socal is no type of the catalogue"),
        (["catalogue", "show", "latest"], "latest is no hash"),
        (["catalogue", "rollback", "xyz123", "--reason", "r"], "xyz123 is no hash"),
        (["recipient", "set", "p", "--webhook", "ftp://example.com"], "ftp://example.com"),
        (["recipient", "set", "p", "--webhook", "http://"], "has no host"),
        (["recipient", "set", "p", "--webhook", "https://a b/\""], "a space"),
        (["recipient", "set", "p", "--webhook", "https://a\nb/"], "control character"),
        (["recipient", "set", "p", "--webhook", "https://\"/"], "neither a canonical address nor a DNS name"),
        (["recipient", "set", "p", "--webhook", "https://a:port/"], "a port that is not a number from 1 to 65535"),
        (["recipient", "set", "p", "--webhook", "https://user@a/"], "carries user information"),
        (["recipient", "set", "p", "--webhook", "https://127.1/"], "spells an IPv4 address"),
        (["recipient", "set", "p", "--webhook", "https://a:0/"], "a port that is not a number from 1 to 65535"),
        (["recipient", "set", "p", "--webhook", "https://a.example./"], "an empty label"),
        (["recipient", "set", "p", "--webhook", "https://a/" + String(repeating: "x", count: 20_000)], "longer than 2048 bytes"),
        (["recipient", "set", "p", "--webhook", "http://shop.example/h"], "would never be called: the scheme http is not allowed"),
        (["recipient", "set", "p", "--webhook", "https://shop.example:9443/h"], "the port 9443 is not allowed"),
        (["recipient", "set", "p", "--webhook", "https://10.0.0.5/h"], "10.0.0.5 is not public"),
        (["recipient", "set", "p", "--webhook", "https://localhost/h"], "127.0.0.1 is not public"),
        (["recipient", "set", "p", "--webhook", "https://x.invalid/h"], "below .invalid"),
        (["address", "set", "p", "email", "nobody"], "has one @"), (["address", "set", "p", "sms", "0123"], "begins with +"),
        (["address", "set", "p", "webhook", "https://a b/"], "a space"),
        (["address", "set", "p", "webhook", "https://10.0.0.5/h"], "10.0.0.5 is not public"),
        (["address", "set", "", "email", "a@b.co"], "the recipient id is empty"),
        (["address", "set", "p", "email", "a@b.co", "--source", String(repeating: "s", count: 201)], "1 to 200 bytes"),
        (["address", "suppress", "p", "a", "--reason", "r", "--for", "soon"], "--for soon"),
        (["address", "suppress", "p", "a", "--reason", " "], "--reason must be"),
        (["recipient", "set", "", "--time-zone", "UTC"], "the recipient id is empty"),
        (["recipient", "erase", ""], "the recipient id is empty"),
        (["recipient", "export", ""], "the recipient id is empty"),
        (["recipient", "readmit", "p", "--tenant", "a b"], "--tenant must be"),
        (["recipient", "erasure", "x"], "x is no id of an erasure"),
        (["send", "orderUpdate", "--to", "p", "--at", "tomorrow"], "tomorrow"),
        (["send", "orderUpdate", "--to", "p", "--in", "soon"], "soon"),
        (["send", "orderUpdate", "--to", "p", "--data", "novalue"], "key=value"),
        (["send", "orderUpdate", "--to", "p", "--channel", "pigeon"], "pigeon"),
        (["send", "orderUpdatee", "--to", "p", "--title", "T"], "did you mean \"orderUpdate\"?"),
        (["send", "orderUpdate", "--to", "", "--title", "T"], "emptyRecipient"),
        (["send", "orderUpdate", "--to", String(repeating: "p", count: 300), "--title", "T"], "300 bytes"),
        (["send", "orderUpdate", "--to", "p"], "title is missing"),
        (["send", "orderUpdate", "--to", "p", "--title", "T", "--in", "5000d"], "scheduledTooFarAhead"),
        (["send", "orderUpdate", "--to", "p", "--title", "T", "--source", "a b"], "/source"),
        (["simulate", "noSuchType", "--to", "p"], "noSuchType"),
        (["reconcile", "--source", "/shop", "--since", "yesterday", "/dev/null"], "--since yesterday is neither"),
        (["reconcile", "--source", "/shop", "--since", "2199-01-01T00:00:00Z", "/dev/null"], "is in the future"),
        (["reconcile", "--source", "/shop", "--since", "90d", "/dev/null"], "the oldest day that is kept"),
        (["reconcile", "--source", "/shop", "--since", "1m", "/no/such/file"], "cannot read /no/such/file"),
        (["reconcile", "--source", "/shop", "--since", "1m", "--input", "csv", "/dev/null"], "the header of the columns is missing"),
        (["simulate", "orderUpdate", "--to", "p", "--channel", "pigeon"], "pigeon"),
        (["notification", "list", "--state", "bogus"], "bogus"),
        (["delivery", "list", "--state", "bogus"], "bogus"),
        (["delivery", "list", "--channel", "pigeon"], "pigeon"),
        (["delivery", "list", "--reason", "quietHour"], "quietHour"),
        (["notification", "list", "--type", "orderUpdat"], "orderUpdat"),
        (["device", "register", "p", "token"], "two hexadecimal digits"),
        (["device", "update", "d", "--locale", "klingon"], "klingon"),
        (["db", "sql", "999"], "999"),
        (["delivery", "show", "not-an-id"], "not-an-id"),
        (["delivery", "show", "\(unknown)/-1"], "no delivery id"),
        (["delivery", "retry", "\(unknown)/99999"], "no delivery id"),
        (["rejected", "list", "--state", "bogus"], "bogus"),
        (["dead", "list", "--state", "bogus"], "bogus"),
        (["catalogue", "check", "/no/such/file.yaml"], "/no/such/file.yaml"),
    ]

    @Test func badInputIsExit65AndOneClearLine() async throws {
        try await withOwnSystem { system in
            for (arguments, named) in Self.badInput {
                let result = try await Self.run(arguments, system.environment)
                #expect(result.exitCode == 65, "\(arguments): \(result.errors)")
                #expect(result.output.isEmpty, "\(arguments)")
                let lines = result.errors.split(separator: "\n")
                #expect(lines.first?.contains(named) == true && lines.count <= 2, "\(arguments): \(result.errors)")
            }
        }
    }

    @Test func aBadCatalogueNamesEveryProblemWithItsPlace() async throws {
        let file = "types:\n  a:\n    category: transactionl\n  b:\n    category: system\n    colour: red\n"
        try await withOwnSystem { system in
            try await withFile(file) { path in
                for command in ["check", "apply"] {
                    let result = try await system.tidings("catalogue", command, path)
                    #expect(result.exitCode == 65)
                    #expect(result.errors.contains("types.a") && result.errors.contains("transactionl"), "\(result.errors)")
                    #expect(result.errors.contains("types.b") && result.errors.contains("colour"), "\(result.errors)")
                }
            }
            #expect(try await system.count("select count(*) from tidings.active_catalogue") == 0, "a bad file replaces nothing")
        }
    }

    @Test(arguments: [
        ["noSuchCommand"], ["send"], ["run", "router", "inApp"], ["status", "-o", "xml"], ["notification", "list", "--limit", "0"],
        ["send", "orderUpdate", "--to", "p", "--at", "2026-12-24T18:00:00Z", "--in", "1h"],
        ["send", "orderUpdate", "--to", "p", "--timeout=-1"], ["address", "set", "p", "pigeon", "x"], ["address", "suppress", "p", "a"],
        ["address", "suppress", "p", "a", "--lift", "--for", "2h"],
    ])
    func wrongUseIsExit64(_ arguments: [String]) async throws {
        let result = try await Self.run(arguments, [:])
        #expect(result.exitCode == 64, "\(result.errors)")
        #expect(result.output.isEmpty && result.errors.contains("Usage:"), "\(result.errors)")
    }

    @Test(arguments: [
        (["satus"], "did you mean status?"), (["catalog", "show"], "did you mean catalogue?"),
        (["notifications", "list"], "did you mean notification?"), (["device", "lst"], "did you mean list?"),
        (["tail"], "tidings --help lists the commands"), (["version"], "tidings --version"),
    ])
    func anUnknownCommandGetsTheNearestOne(_ arguments: [String], _ said: String) async throws {
        let result = try await Self.run(arguments, [:])
        #expect(result.exitCode == 64 && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.contains(said) && result.errors.contains("Usage:"), "\(result.errors)")
    }

    @Test func helpForNoCommandIsExit64() async throws {
        for (arguments, said) in [(["statsu"], "did you mean status?"), (["device", "lst"], "did you mean list?")] {
            let result = try await Self.run(["help"] + arguments, [:])
            #expect(result.exitCode == 64 && result.output.isEmpty && result.errors.contains(said), "\(result.errors)")
        }
        #expect(try await Self.run(["help", "device", "list"], [:]).output.contains("USAGE: tidings device list"))
    }

    /// `db sql` prints more than a pipe holds, so the command still writes when its reader has gone.
    @Test func anAnswerThatIsLostIsNoSuccess() async throws {
        let full = try await Self.shell(#"exec "$0" db sql > /dev/full"#, [:])
        #expect(full.exitCode == 74 && full.errors.contains("standard output cannot be written"), "\(full.errors)")
        let gone = try await Self.shell(#""$0" db sql | head -c 1; exit ${PIPESTATUS[0]}"#, [:])
        #expect(gone.exitCode == 128 + SIGPIPE && gone.errors.isEmpty, "\(gone.exitCode) \(gone.errors)")
    }

    /// `timeout` only limits the test. If its time ran out, the exit code would be 124.
    @Test func aWatchEndsWithItsReader() async throws {
        try await withOwnSystem { system in
            let watch = #"timeout \#(Patience.scaled(120)) "$0" status --watch | head -n 1; exit ${PIPESTATUS[0]}"#
            let result = try await Self.shell(watch, system.environment)
            #expect(result.exitCode == 128 + SIGPIPE, "\(result.exitCode) \(result.errors)")
            let time = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(Timestamp(rfc3339: time) != nil, "each frame begins with its time: \(result.output)")
        }
    }

    @Test func aHealthySystemGivesAnAnswer() async throws {
        try await withPipeline { pipeline in
            for (arguments, said) in [
                (["db", "verify"], "exactly one place"), (["db", "plan"], "nothing to do"),
                (["queue", "topology"], "bindings cannot be read"), (["queue", "topology", "--apply"], " bindings\n"),
            ] {
                let result = try await Self.run(arguments, pipeline.system.environment)
                #expect(result.exitCode == 0 && result.output.contains(said), "\(arguments): \(result.output) \(result.errors)")
            }
        }
    }

    /// No server listens on port 1 of the loopback.
    @Test(arguments: [
        ["status"], ["send", "orderUpdate", "--to", "p", "--title", "T"], ["why", "x"], ["db", "verify"], ["run", "all"],
    ])
    func unreachableServersAreExit69(_ arguments: [String]) async throws {
        let nowhere = ["TIDINGS_DATABASE_URL": "postgres://nobody@127.0.0.1:1/none", "TIDINGS_AMQP_URL": "amqp://guest:guest@127.0.0.1:1/"]
        let result = try await Self.run(arguments, nowhere)
        #expect(result.exitCode == 69, "\(result.errors)")
        #expect(result.errors.contains("tidings doctor"), "it says where to look: \(result.errors)")
        #expect(!result.errors.contains("in progress"), "a refused connection is none in progress: \(result.errors)")
    }

    /// A command tries for some seconds, because PostgreSQL may be starting. The first line says so at once.
    @Test func theWaitForTheDatabaseIsTold() async throws {
        let absent = try AbsentService()
        let nowhere = ["TIDINGS_DATABASE_URL": "postgres://nobody@127.0.0.1:\(absent.port)/none"]
        let result = try await Self.run(["status"], nowhere)
        let lines = result.errors.split(separator: "\n")
        #expect(result.exitCode == 69 && lines.count == 3, "\(result.errors)")
        #expect(lines.first?.hasSuffix("Connection refused, trying for 10.0 seconds") == true, "\(result.errors)")
    }

    @Test func anUnknownDatabaseIsExit78() async throws {
        try await withOwnSystem { system in
            var url = try #require(URLComponents(string: system.databaseURL))
            url.path = "/no_such_database"
            for arguments in [["status"], ["db", "migrate"], ["run", "all"]] {
                let environment = system.environment.merging(["TIDINGS_DATABASE_URL": try #require(url.string)]) { $1 }
                let result = try await Self.run(arguments, environment)
                #expect(result.exitCode == 78 && result.output.isEmpty, "\(arguments): \(result.errors)")
                #expect(result.errors.contains(#"database "no_such_database" does not exist"#), "\(arguments): \(result.errors)")
                #expect(!result.errors.contains("is PostgreSQL running"), "\(arguments): \(result.errors)")
            }
        }
    }

    /// The variables, and the text about the missing or wrong ones.
    @Test(arguments: [
        ([:], "TIDINGS_AMQP_URL and TIDINGS_DATABASE_URL"),
        (["TIDINGS_DATABASE_URL": "postgres://127.0.0.1/x"], "TIDINGS_AMQP_URL is not set"),
        (["TIDINGS_AMQP_URL": "amqp://127.0.0.1/"], "TIDINGS_DATABASE_URL is not set"),
        (
            ["TIDINGS_DATABASE_URL": "mysql://127.0.0.1/x", "TIDINGS_AMQP_URL": "amqp://127.0.0.1/"],
            "TIDINGS_DATABASE_URL: the database URL cannot be read"
        ),
    ])
    func noOrWrongConfigurationIsExit78(_ environment: [String: String], _ said: String) async throws {
        let result = try await Self.run(["send", "orderUpdate", "--to", "p", "--title", "T"], environment)
        #expect(result.exitCode == 78 && result.output.isEmpty, "\(result.errors)")
        #expect(result.errors.contains(said), "\(result.errors)")
    }

    @Test func aRoleWithWrongSettingsDoesNotSayThatItRuns() async throws {
        try await withOwnSystem { system in
            let environment = system.environment.merging(["TIDINGS_API_LISTEN": "nowhere"]) { $1 }
            let result = try await Self.run(["run", "api"], environment)
            #expect(result.exitCode == 78 && result.errors.contains("TIDINGS_API_LISTEN"), "\(result.errors)")
            #expect(!result.errors.contains("running"), "\(result.errors)")
        }
    }

    /// The broker's URL is required only by commands that need the broker.
    @Test func aCommandThatNeedsTheBrokerSaysThatItIsNotConfigured() async throws {
        try await withOwnSystem { system in
            var environment = system.environment
            environment["TIDINGS_AMQP_URL"] = nil
            let list = try await Self.run(["rejected", "list"], environment)
            #expect(list.exitCode == 0, "\(list.errors)")
            for arguments in [["queue", "topology"], ["run", "router"]] {
                let result = try await Self.run(arguments, environment)
                #expect(result.exitCode == 78 && result.errors.contains("TIDINGS_AMQP_URL is not set"), "\(arguments): \(result.errors)")
            }
        }
    }

    @Test func aMissingRecordIsExit1() async throws {
        try await withOwnSystem { system in
            for arguments in [
                ["why", "nobody-knows"], ["find", "nobody-knows"], ["recipient", "show", "nobody"], ["rejected", "show", "17"],
                ["dead", "show", "17"], ["delivery", "show", "\(Self.unknown)/0"], ["notification", "cancel", Self.unknown],
                ["notification", "cancel", "not-an-id"],
            ] {
                let result = try await Self.run(arguments, system.environment)
                #expect(result.exitCode == 1, "\(arguments): \(result.errors)")
            }
            for command in [["why"], ["find"], ["notification", "show"]] {
                let result = try await Self.run(command + ["nobody-knows", "-o", "json"], system.environment)
                #expect(result.exitCode == 1 && result.output == "[]\n", "\(command): \(result.output)")
            }
        }
    }

    /// The output is an array for a list and an object for one thing. Standard output has nothing but JSON.
    @Test func jsonIsAnArrayForAListAndAnObjectForOne() async throws {
        try await withPipeline { pipeline in
            #expect(try await pipeline.system.tidings("recipient", "set", "reader", "--time-zone", "Europe/Paris").exitCode == 0)
            await pipeline.publish("hello", key: "transactional.hello")
            await pipeline.publish(event(id: "one", to: "reader"))
            _ = try await pipeline.outcome(of: "one")
            let id = try await pipeline.notificationID(of: "one")
            #expect(try await pipeline.system.eventually("select count(*) from tidings_ops.rejected") { $0 == 1 })
            let row = String(try await pipeline.system.count("select rejected_id from tidings_ops.rejected"))

            let lists: [[String]] = [
                ["notification", "list"], ["delivery", "list"], ["rejected", "list"], ["find", "one"], ["doctor"],
                ["simulate", "orderUpdate", "--to", "reader"], ["why", "one"], ["notification", "show", id],
                ["send", "orderUpdate", "--to", "reader", "--title", "T", "--wait", Pipeline.waitLimit],
            ]
            for arguments in lists {
                let json = try await Self.json(arguments, pipeline.system.environment)
                #expect(json.arrayValue?.isEmpty == false, "\(arguments): \(json)")
            }
            #expect(try await Self.json(["dead", "list"], pipeline.system.environment) == [])
            let objects: [[String]] = [
                ["status"], ["delivery", "show", "\(id)/0"], ["recipient", "show", "reader"], ["rejected", "show", row],
            ]
            for arguments in objects {
                let json = try await Self.json(arguments, pipeline.system.environment)
                #expect(json.objectValue?.isEmpty == false, "\(arguments): \(json)")
            }
        }
    }

    @Test func captureTakesTheKeysOfAPNsByTheirIDs() async throws {
        for (key, said) in [
            ("ABC=/x", "10 capital letters and digits"), ("ABC123DEFG", "KEYID=FILE"), ("ABC123DEFG=/nonexistent", "cannot be read"),
        ] {
            let result = try await Self.run(["capture", "--apns-key", key], [:])
            #expect(result.exitCode == 64 && result.errors.contains(said), "\(result.errors)")
        }
        let help = try await Self.run(["capture", "--help"], [:])
        #expect(help.output.contains("--apns-key <KEYID=FILE>") && help.output.contains("every signature is accepted"), "\(help.output)")
    }

    @Test func sendWaitAnswersWithItsExitCode() async throws {
        try await withPipeline { pipeline in
            let good = try await pipeline.system.tidings(
                "send", "orderUpdate", "--to", "reader", "--title", "T", "--wait", Pipeline.waitLimit)
            #expect(good.exitCode == 0 && good.output.contains("delivered"), "\(good.errors)")
            #expect(good.errors.contains("tidings why"), "whoever interrupts it has an id: \(good.errors)")
            let refused = try await pipeline.system.tidings("send", "orderUpdatee", "--to", "reader", "--title", "T", "--wait")
            #expect(refused.exitCode == 65 && refused.errors.contains("unknownType"), "\(refused.errors)")
            #expect(try await pipeline.taken() == 1, "what is refused here is not published")
            let bad = try await pipeline.system.tidings(
                "send", "orderUpdatee", "--to", "reader", "--title", "T", "--no-check", "--wait", Pipeline.waitLimit)
            #expect(bad.exitCode == 1 && bad.errors.contains("rejected: unknownType"), "\(bad.errors)")
            // A notification without an address reaches nobody. A notification that waits for its time may still reach the person.
            let nobody = try await pipeline.system.tidings(
                "send", "orderUpdate", "--to", "one", "--to", "two", "--title", "T", "--channel", "webhook", "--wait", Pipeline.waitLimit)
            #expect(nobody.exitCode == 1 && nobody.output.contains("noAddress"), "\(nobody.output)")
            #expect(nobody.errors.contains(" was not reached: webhook noAddress; 1 more were not reached"), "\(nobody.errors)")
            let later = try await pipeline.system.tidings(
                "send", "orderUpdate", "--to", "reader", "--title", "T", "--channel", "inApp", "--in", "1h", "--wait", Pipeline.waitLimit)
            #expect(later.exitCode == 0 && later.output.contains("held"), "\(later.errors)")
            let sent = try await pipeline.system.tidings("send", "orderUpdate", "--to", "reader", "--title", "T", "--id", "own")
            #expect(sent.exitCode == 0 && sent.errors.contains("next: tidings why own"), "\(sent.errors)")
            let dry = try await pipeline.system.tidings("send", "orderUpdate", "--to", "reader", "--title", "T", "--dry-run")
            #expect(try JSON.parse(dry.output)["specversion"] == "1.0")
        }
    }

    static func run(_ arguments: [String], _ environment: [String: String]) async throws -> TestProcess.Result {
        // The command runs in another folder: a `tidings dev` in the current one would lend its servers.
        try await TestProcess(
            [TestSystem.binary] + arguments, environment: environment, directory: FileManager.default.temporaryDirectory.path
        ).finish()
    }

    /// Runs a line in bash, where `$0` is the binary.
    private static func shell(_ line: String, _ environment: [String: String]) async throws -> TestProcess.Result {
        let path = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"]
        return try await TestProcess(
            ["/bin/bash", "-c", line, TestSystem.binary], environment: path.merging(environment) { $1 },
            directory: FileManager.default.temporaryDirectory.path
        ).finish()
    }

    private static func json(_ arguments: [String], _ environment: [String: String]) async throws -> JSON {
        let result = try await run(arguments + ["-o", "json"], environment)
        #expect(result.exitCode == 0, "\(arguments): \(result.errors)")
        return try JSON.parse(result.output)
    }
}
