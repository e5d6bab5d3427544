import TidingsPostgres

/// An assumption about PostgreSQL that does not hold. Tidings would store or select wrong rows on such a server or database.
public struct ServerFault: Sendable, Hashable {
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// The encoding of the database is not UTF8.
        case encoding
        /// The server is older than ``ServerProperties/oldestMajor``.
        case version
        /// A backslash in a literal is an escape.
        case strings
    }

    public let kind: Kind
    /// The fault in words, without a full stop.
    public let words: String
    public let whatToDo: String
}

/// The properties of PostgreSQL on which every statement of Tidings relies. Each property was really wrong somewhere:
///
/// - A database in `SQL_ASCII` stores any bytes as text. A database in `LATIN1` refuses most texts of people.
/// - Statements and the schema need features of ``oldestMajor``.
/// - Patterns with backslashes stand in views and functions, and PostgreSQL reads the literals of a function at each call.
struct ServerProperties: Sendable {
    /// The oldest major version, which the tests run on.
    static let oldestMajor = 15

    /// As PostgreSQL spells it, such as `UTF8` or `SQL_ASCII`.
    var encoding = "UTF8"
    /// As people write it, such as `15.4 (Debian 15.4-1)`.
    var version = "\(oldestMajor).0"
    /// The major version times 10,000, plus the minor version.
    var versionNumber = oldestMajor * 10_000
    /// The setting of a new session of this user.
    var hasStandardStrings = true

    var faults: [ServerFault] {
        var faults: [ServerFault] = []
        if encoding != "UTF8" {
            faults.append(
                ServerFault(
                    kind: .encoding, words: "the database has the encoding \(encoding), and Tidings needs UTF8",
                    whatToDo: "An encoding cannot be changed: create another database, with template template0 encoding 'UTF8'."))
        }
        if versionNumber < Self.oldestMajor * 10_000 {
            faults.append(
                ServerFault(
                    kind: .version, words: "the server is PostgreSQL \(version), and Tidings needs \(Self.oldestMajor) or newer",
                    whatToDo: "Upgrade the server, or use another one."))
        }
        if !hasStandardStrings {
            faults.append(
                ServerFault(
                    kind: .strings, words: "standard_conforming_strings is off, and Tidings needs on",
                    whatToDo: "Set standard_conforming_strings = on for the server, or reset it for this database and this role."))
        }
        return faults
    }

    /// Reads the properties. Every user may ask, also before the first migration.
    init(asking query: (SQL) async throws -> PostgresResult) async throws {
        let result = try await query(
            """
            select current_setting('server_encoding'), current_setting('server_version'), current_setting('server_version_num')::integer,
                current_setting('standard_conforming_strings') = 'on'
            """)
        guard let row = result.rows.first else { throw PostgresError.decoding("no row of settings") }
        let number: Int32
        (encoding, version, number, hasStandardStrings) = try row.decode((String, String, Int32, Bool).self)
        versionNumber = Int(number)
    }

    init() {}
}

extension Store {
    /// The assumptions about PostgreSQL that do not hold here. Needs no schema and no right.
    public func serverFaults() async throws -> [ServerFault] {
        try await ServerProperties { try await pool.query($0) }.faults
    }

    /// Whether a new session of this user begins with `jit` on. Tidings turns `jit` off in its own sessions, but people query the views with
    /// sessions of theirs.
    public func compilesStatements() async throws -> Bool {
        try await pool.query(.first("select reset_val = 'on' from pg_settings where name = 'jit'") { try $0.decode(Bool.self) }) ?? false
    }
}
