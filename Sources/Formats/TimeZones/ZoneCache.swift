import Synchronization

/// The zones that a database has read, or has failed to read.
final class ZoneCache: Sendable {
    struct Entry: Sendable {
        let zone: Result<ZoneFile, TimeZoneError>
        /// The stamp of the file when it was read. Nil for a failure.
        let stamp: FileStamp?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        /// The stamp of the folder at the last look. Nil before the first look, and when the folder was missing.
        var folder: FileStamp?
        var hasLooked = false
        /// Names whose failure was noted. Each name is reported only once.
        var noted: Set<String> = []
        var failures: [String: TimeZoneError] = [:]
    }

    /// The most zones in the cache. The database has about 600 names, so in practice nothing is forgotten, and the cache cannot grow
    /// without end.
    private static let maximumZones = 1_024

    private let state = Mutex(State())

    subscript(_ name: String) -> Result<ZoneFile, TimeZoneError>? {
        state.withLock { $0.entries[name]?.zone }
    }

    func keep(_ name: String, _ entry: Entry) {
        state.withLock {
            if $0.entries.count >= Self.maximumZones { $0.entries.removeAll() }
            $0.entries[name] = entry
        }
    }

    /// Remembers a failure for ``dequeueFailures()``. After ``maximumZones`` names, further names are not reported.
    func note(_ error: TimeZoneError, of name: String) {
        state.withLock {
            guard $0.noted.count < Self.maximumZones, $0.noted.insert(name).inserted else { return }
            $0.failures[name] = error
        }
    }

    /// Returns the failures since the last call, sorted by name.
    func dequeueFailures() -> [TimeZoneError] {
        state.withLock { state in
            defer { state.failures = [:] }
            return state.failures.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Forgets failures in any case, and everything if the folder or a file has changed. Reads the stamps outside of the lock, so that no
    /// judgement waits for the disk.
    func forgetChanges(in directory: String) -> Bool {
        let (entries, before, hasLooked) = state.withLock { ($0.entries, $0.folder, $0.hasLooked) }
        let folder = FileStamp(of: directory)
        let hasChanged =
            hasLooked && folder != before
            || entries.contains { name, entry in
                guard let stamp = entry.stamp else { return false }
                return FileStamp(of: directory + "/" + name) != stamp
            }
        state.withLock {
            ($0.folder, $0.hasLooked) = (folder, true)
            if hasChanged { $0.entries.removeAll() } else { $0.entries = $0.entries.filter { $0.value.stamp != nil } }
        }
        return hasChanged
    }
}
