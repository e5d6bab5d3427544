import Glibc

/// The folder with PostgreSQL's data, in a place that PostgreSQL's user may enter.
struct PostgresFolder: Sendable, Equatable {
    let path: String
    /// The user that owns the data and runs the server; `nil` for the user of this process.
    let account: Account?

    var dataFolder: String { "\(path)/data" }
    /// The file is beside the data, so that the password always belongs to this data.
    var passwordFile: String { "\(path)/password" }

    /// The PostgreSQL version that made the data; `nil` if the data does not exist yet.
    var version: String? { PrivateFile.read("\(dataFolder)/PG_VERSION") }

    /// Chooses the place and makes the folder. With `fresh`, deletes an earlier folder first.
    ///
    /// The usual place is the home. If this process is root and user `postgres` may not enter the home, the place is below `/var/lib`. The
    /// home then has a symbolic link to that folder.
    ///
    /// - A folder below `/var/lib` without that link belongs to a deleted home. The folder is deleted too, because deleting a home means
    ///   deleting its data.
    /// - A link with another target came with a copied home. Only the link is deleted, because its data belongs to another home.
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
