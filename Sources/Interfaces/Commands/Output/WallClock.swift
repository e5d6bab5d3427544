import TidingsCore

/// The wall clock of a person, for times that a command prints. If the zone is unknown on this machine, times are in UTC.
struct WallClock: Sendable {
    let zone: Zone

    /// A time of the database with its zone, such as `2026-11-28 07:00 Europe/Paris`. Seconds are shown if there are any. In an unknown
    /// zone the time is in UTC and marked as such.
    func moment(_ text: String) -> String {
        guard let time = Timestamp(rfc3339: text) else { return text }
        guard case .known(let offsets) = zone else { return "\(time.rfc3339) (zone unknown)" }
        let local = offsets.localTime(at: time)
        return "\(local.second == 0 ? String("\(local)".dropLast(3)) : "\(local)") \(offsets.name)"
    }

    /// The time of day of a step, such as `07:00:31`; with the date if that is another one than that of `start`.
    func timeOfDay(_ text: String, since start: String) -> String {
        guard let time = Timestamp(rfc3339: text) else { return text }
        let offsets = if case .known(let offsets) = zone { offsets } else { ZoneOffsets.utc }
        let local = offsets.localTime(at: time)
        let first = Timestamp(rfc3339: start).map { offsets.localTime(at: $0) }
        let isSameDay = first.map { ($0.year, $0.month, $0.day) == (local.year, local.month, local.day) } ?? false
        return isSameDay ? String("\(local)".suffix(8)) : "\(local)"
    }
}
