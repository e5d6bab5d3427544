package import TidingsTimeZones

extension TimeZoneDatabase {
    /// The variable of the C library that names another folder of zone data.
    package static let folderVariable = "TZDIR"

    /// The zone data of this machine, whether it exists or not.
    package static func ofMachine(in environment: [String: String] = Settings.processEnvironment()) -> TimeZoneDatabase {
        let folder = environment[folderVariable] ?? ""
        return TimeZoneDatabase(directory: folder.isEmpty ? standardDirectory : folder)
    }

    /// The zone data of this machine, for code that judges by local time.
    /// Throws a ``Failure`` with exit code 78 if there is none: without zone data, all people would seem to live in UTC.
    package static func required(in environment: [String: String] = Settings.processEnvironment()) throws -> TimeZoneDatabase {
        let zones = ofMachine(in: environment)
        do {
            try zones.check()
        } catch {
            throw Failure(.config, "\(error)", hint: missingHint)
        }
        return zones
    }

    package static let missingHint = "install the package tzdata, or name the folder of the zone data in \(folderVariable)"
}
