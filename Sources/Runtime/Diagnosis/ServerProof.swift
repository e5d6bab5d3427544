import TidingsAMQP
import TidingsPostgres

/// Whether the database and the broker prove who they are. A connection without a proof gives passwords and the data of people to whoever is
/// in between.
package struct ServerProof: Sendable {
    private let databasePlaces: [String]
    private let databaseMode: String?
    private let broker: AMQPConfiguration?

    /// libpq takes parts that the URL does not have from its environment.
    package init(_ settings: Settings) {
        let (database, environment) = (settings.database, settings.environment)
        let places = (environment["PGHOSTADDR"] ?? environment["PGHOST"] ?? "").split(separator: ",").map(String.init)
        databasePlaces = database.places.isEmpty ? places : database.places
        databaseMode = database.sslMode ?? environment["PGSSLMODE"]
        broker = try? settings.amqp
    }

    /// A warning for each server on another machine that proves nothing.
    package var findings: [Finding] {
        var findings: [Finding] = []
        if !databasePlaces.allSatisfy(Self.isThisMachine), databaseMode != "verify-full" {
            findings.append(
                Finding(
                    "database", .warning, .serverUnproven, "the server on another machine does not prove who it is",
                    whatToDo: "Add sslmode=verify-full and sslrootcert to \(Settings.databaseName)."))
        }
        if let broker, !broker.nodes.map(\.host).allSatisfy(Self.isThisMachine), !Self.proves(broker.tls) {
            findings.append(
                Finding(
                    "broker", .warning, .serverUnproven, "the broker on another machine does not prove who it is",
                    whatToDo: "Use amqps:// with cacertfile in \(Settings.amqpName), and neither verify=verify_none nor "
                        + "server_name_indication=disable."))
        }
        return findings
    }

    private static func proves(_ tls: AMQPTLS?) -> Bool { tls.map { $0.verifiesPeer && $0.verifiesHostName } ?? false }

    /// A folder of sockets is on this machine too.
    private static func isThisMachine(_ place: String) -> Bool {
        place.hasPrefix("/") || place.hasPrefix("@") || ["localhost", "::1", "[::1]"].contains(place) || place.hasPrefix("127.")
    }
}
