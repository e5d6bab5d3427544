import TidingsServer
import TidingsTimeZones

/// The check of `tidings doctor` for the zone data of its machine. Each machine that runs a role needs zone data of its own.
struct ZoneDataCheck {
    /// Old names that phones and browsers still report. Debian 13 has them in a package of their own, `tzdata-legacy`.
    private static let oldNames = [
        "US/Eastern", "US/Central", "US/Mountain", "US/Pacific", "America/Buenos_Aires", "Asia/Calcutta", "Asia/Katmandu", "Asia/Rangoon",
        "Asia/Saigon", "Atlantic/Faeroe", "Europe/Kiev",
    ]

    let findings: [Finding]

    init(in environment: [String: String]) {
        let zones = TimeZoneDatabase.ofMachine(in: environment)
        do throws(TimeZoneError) {
            try zones.check()
        } catch {
            findings = [Finding("time zones", .error, .zoneDataMissing, "\(error)", whatToDo: TimeZoneDatabase.missingHint)]
            return
        }
        let unknown = Self.oldNames.filter { !zones.isKnown($0) }
        let sound = Finding.ok("time zones", "zone data in \(zones.directory)")
        guard !unknown.isEmpty else {
            findings = [sound]
            return
        }
        findings = [
            sound,
            Finding(
                "time zones", .warning, .zoneNamesMissing,
                "the zone data in \(zones.directory) lacks old names that phones and browsers report: \(unknown.joined(separator: ", "))",
                whatToDo: "Install the package tzdata-legacy. Deliveries that depend on the quiet hours of such a zone wait until then."),
        ]
    }
}
