package import TidingsJSON
import TidingsStore

/// The standbys that a commit waits for, as far as this login sees them.
package struct SynchronousStandbys: Sendable, Hashable {
    /// The setting `synchronous_standby_names`. If it is empty, no commit waits for a standby.
    var names = ""
    /// All connected standbys.
    var connected = 0
    /// The connected standbys that commits wait for. 0 unless ``areSeen``.
    var synchronous = 0
    /// Whether this login sees the kind of each standby. PostgreSQL shows every login one row for each standby, and shows the columns of
    /// this row only to members of `pg_read_all_stats`.
    var areSeen = true

    /// The number of standbys that must have a commit. The setting has one of the forms `a, b`, `2 (a, b)`, `FIRST 2 (a, b)` and
    /// `ANY 2 (a, b)`.
    var needed: Int {
        guard !names.isEmpty else { return 0 }
        guard let list = names.firstIndex(of: "(") else { return 1 }
        return names[..<list].split(separator: " ").last.flatMap { Int($0) } ?? 1
    }

    private var present: Int { areSeen ? synchronous : connected }

    /// Whether too few standbys are connected, so that every commit waits.
    var areMissing: Bool { present < needed }

    /// Whether this login can tell that enough standbys are connected.
    var areKnown: Bool { needed == 0 || areSeen }

    /// The fault in words, if standbys are missing.
    var words: String {
        let connected = present == 0 ? "none is connected" : "only \(present) of them \(present == 1 ? "is" : "are") connected"
        return "every commit waits: synchronous_standby_names asks for \(needed.of("standby", "standbys")), and \(connected)"
    }

    static let remedy =
        "See the connected ones: select application_name, state, sync_state from pg_stat_replication. Start the missing standby. Without it, "
        + "take it out of synchronous_standby_names: a failover can then lose confirmed intents."
}

extension SynchronousStandbys {
    /// Takes the state from a row of the store.
    package init(_ row: JSON) throws {
        self.init(
            names: try row.column("synchronous_standby_names"), connected: try row.column("standbys"),
            synchronous: try row.column("synchronous_standbys"), areSeen: try row.column("standbys_seen"))
    }
}
