import Glibc

/// A user of this machine.
struct Account: Sendable, Equatable {
    let userID: uid_t
    let groupID: gid_t

    /// Returns the user that runs PostgreSQL. `nil` means the user of this process. Root gets user `postgres`, because PostgreSQL refuses
    /// to run as root.
    static func forPostgres() throws(PrivateServersError) -> Account? {
        guard geteuid() == 0 else { return nil }
        guard let account = named("postgres") else { throw .missingUser(name: "postgres", package: "postgresql") }
        return account
    }

    private static func named(_ name: String) -> Account? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: entryLimitBytes)
        guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return Account(userID: entry.pw_uid, groupID: entry.pw_gid)
    }

    /// glibc suggests 1 KiB for an entry (`_SC_GETPW_R_SIZE_MAX`); directory services may need more.
    private static let entryLimitBytes = 16 << 10
}
