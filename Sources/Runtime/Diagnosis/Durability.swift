package import TidingsJSON
import TidingsStore

/// The PostgreSQL settings on which the promise of durability depends, and the findings about them.
package struct Durability: Sendable {
    var fsync = true
    var fullPageWrites = true
    var checksums = true
    var isInRecovery = false
    var isReadOnly = false
    /// The setting of a new session of this user: `on`, `off`, `local`, `remote_write` or `remote_apply`.
    var synchronousCommit = "on"
    /// Roles and databases with a weaker `synchronous_commit`, each with its setting.
    var weaker: [String] = []
    var standbys = SynchronousStandbys()

    package var findings: [Finding] {
        var findings: [Finding] = []
        func found(_ level: Finding.Level, _ code: Finding.Code, _ words: String, _ whatToDo: String) {
            findings.append(Finding("durability", level, code, words, whatToDo: whatToDo))
        }
        if isInRecovery || isReadOnly {
            found(
                .error, .readOnly, isInRecovery ? "this server is a standby and takes no writes" : "sessions begin read-only",
                isInRecovery
                    ? "Name the primary in TIDINGS_DATABASE_URL, or several hosts with target_session_attrs=read-write."
                    : "Reset default_transaction_read_only of this role, this database or the server.")
        }
        if !fsync { found(.error, .fsyncOff, "fsync is off: a crash of the machine can destroy the database", "Set fsync = on.") }
        if !fullPageWrites {
            found(
                .warning, .fullPageWritesOff, "full_page_writes is off: a crash can leave half-written pages",
                "Set full_page_writes = on, unless the file system never tears a page.")
        }
        let isWeak = synchronousCommit == "off" || (synchronousCommit == "local" && standbys.needed > 0)
        if isWeak || !weaker.isEmpty {
            let whose = weaker.isEmpty ? "this server" : weaker.joined(separator: "; ")
            found(
                .warning, .commitNotSynchronous, "synchronous_commit is weaker than on (\(whose))",
                "The roles replace off by on in their own transactions. A producer's tidings_api.enqueue does not: "
                    + "a crash can lose its last events."
            )
        }
        if standbys.needed == 0 {
            if standbys.connected > 0 {
                found(
                    .warning, .standbysAsynchronous,
                    "\(standbys.connected.of("standby", "standbys")) connected, none of them synchronous: a failover loses the last commits",
                    "Set synchronous_standby_names, or accept that confirmed intents and recorded outcomes of the last moments can be lost."
                )
            }
        } else if standbys.areMissing, waitsForStandbys {
            found(.error, .standbyMissing, standbys.words, SynchronousStandbys.remedy)
        } else if !standbys.areKnown {
            found(
                .note, .notPermitted, "not checked: this user of the database may not see whether a synchronous standby is connected",
                "An administrator of PostgreSQL runs: grant pg_read_all_stats to this user.")
        }
        if !checksums {
            found(
                .note, .checksumsOff, "data checksums are off: damage of the disk is noticed late",
                "Run pg_checksums --enable while the server is stopped.")
        }
        // Standbys that this user may not see prove nothing.
        let isProven = standbys.areKnown && !findings.contains { $0.level > .note }
        return (isProven ? [.ok("durability", "commits are on disk when they are answered")] : []) + findings
    }

    /// Whether a commit of Tidings waits for the standbys. The roles replace `off` by `on`, and leave `local`.
    private var waitsForStandbys: Bool { synchronousCommit != "local" }
}

extension Durability {
    /// Takes the settings from the row that the store reads.
    package init(_ row: JSON) throws {
        func isOn(_ name: String) throws -> Bool { try row.column(name, as: String.self) == "on" }
        self.init(
            fsync: try isOn("fsync"), fullPageWrites: try isOn("full_page_writes"), checksums: try isOn("data_checksums"),
            isInRecovery: try row.column("in_recovery"), isReadOnly: try isOn("read_only"),
            synchronousCommit: try row.column("synchronous_commit"), weaker: try row.column("weaker"),
            standbys: try SynchronousStandbys(row))
    }
}
