import Glibc

/// Makes, hands over and deletes folders.
enum Folder {
    /// Makes the folder and its missing parents. An existing folder keeps its mode.
    static func make(_ path: String, mode: mode_t = 0o755) throws(PrivateServersError) {
        var current = path.hasPrefix("/") ? "" : "."
        let names = path.split(separator: "/")
        for (index, name) in names.enumerated() {
            current += "/\(name)"
            let isLast = index == names.count - 1
            guard mkdir(current, isLast ? mode : 0o755) == 0 || errno == EEXIST else {
                throw .cannotUse(path: current, reason: errorText(errno))
            }
        }
        guard isFolder(current) else { throw .cannotUse(path: path, reason: "it is not a folder") }
    }

    /// Gives the folder itself to `owner`, without its contents.
    static func give(_ path: String, to owner: Account) throws(PrivateServersError) {
        guard chown(path, owner.userID, owner.groupID) == 0 else {
            throw .cannotUse(path: path, reason: errorText(errno))
        }
    }

    /// Deletes the folder with its contents. Deletes a symbolic link, but not the target of the link. A missing folder is not an error.
    static func remove(_ path: String) throws(PrivateServersError) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return }
        guard information.st_mode & S_IFMT == S_IFDIR else { return try PrivateFile.remove(path) }
        for name in try names(in: path) { try remove("\(path)/\(name)") }
        guard rmdir(path) == 0 || errno == ENOENT else { throw .cannotUse(path: path, reason: errorText(errno)) }
    }

    /// Returns the names in the folder, in no order.
    static func names(in path: String) throws(PrivateServersError) -> [String] {
        guard let folder = opendir(path) else { throw .cannotUse(path: path, reason: errorText(errno)) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    static func isFolder(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether every user may enter the absolute `path`. The folder and each parent must grant search to others.
    static func isOpenToOthers(_ path: String) -> Bool {
        var current = ""
        return path.split(separator: "/").allSatisfy { name in
            current += "/\(name)"
            var information = stat()
            return stat(current, &information) == 0 && information.st_mode & S_IXOTH != 0
        }
    }

    /// Returns the target of a symbolic link; `nil` if the path is not a link.
    static func target(ofLink path: String) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
