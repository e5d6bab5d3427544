import TidingsServer
import TidingsTimeZones

/// The check of `tidings doctor` for the zone data of its machine. Each machine that runs a role needs zone data of its own.
struct ZoneDataCheck {
    let isPassed: Bool
    let detail: String
    var whatToDo: String { isPassed ? "" : TimeZoneDatabase.missingHint }

    init(in environment: [String: String]) {
        let zones = TimeZoneDatabase.ofMachine(in: environment)
        do {
            try zones.check()
            (isPassed, detail) = (true, "zone data in \(zones.directory)")
        } catch {
            (isPassed, detail) = (false, "\(error)")
        }
    }
}
