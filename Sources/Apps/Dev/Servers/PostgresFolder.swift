import Glibc

/// The folder with PostgreSQL's data, in a place its user may enter.
struct PostgresFolder: Sendable, Equatable {
    let path: String
    /// User that owns the data and runs the server; `nil` for ourselves.
    let account: Account?

    var dataFolder: String { "\(path)/data" }
    /// Beside the data, so that it can never belong to other data.
    var passwordFile: String { "\(path)/password" }

    /// The version that made the data, or `nil` when there is none yet.
    var version: String? { PrivateFile.read("\(dataFolder)/PG_VERSION") }

    /// Chooses the place and makes the folder; with `fresh` an earlier one is deleted first.
    ///
    /// In the home, unless we are root and user postgres may not enter the home: then in a folder of its own below `/var/lib`, with a
    /// symbolic link in the home. A folder there without that link belongs to a home that was deleted, and is deleted too: who
    /// deletes the home means the data. A link to anywhere else came with a copied home; the data it points to is not ours.
    static func prepare(_ layout: ServersLayout, fresh: Bool) throws(PrivateServersError) -> PostgresFolder {
        let account = try Account.forPostgres()
        let inside = layout.databaseFolder
        let outside = layout.outsideDatabaseFolder
        let link = Folder.target(ofLink: inside)
        let keepsOutside = !fresh && account != nil && link == outside
        if fresh || (link != nil && !keepsOutside) { try Folder.remove(inside) }
        if account != nil, !keepsOutside { try Folder.remove(outside) }

        guard let account, keepsOutside || !Folder.isOpenToOthers(layout.home) else {
            return try made(inside, account)
        }
        guard keepsOutside || !Folder.isFolder(inside) else {
            throw .cannotUse(path: inside, reason: "user postgres may no longer enter it; open \(layout.home) to it, or start with --fresh")
        }
        let folder = try made(outside, account)
        guard keepsOutside || symlink(outside, inside) == 0 else { throw .cannotUse(path: inside, reason: errorText(errno)) }
        return folder
    }

    private static func made(_ path: String, _ account: Account?) throws(PrivateServersError) -> PostgresFolder {
        try Folder.make(path, mode: 0o700)
        if let account { try Folder.give(path, to: account) }
        return PostgresFolder(path: path, account: account)
    }
}
