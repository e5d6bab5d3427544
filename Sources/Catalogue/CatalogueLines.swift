/// The lines of a catalogue file, by the path of each value.
struct CatalogueLines: Sendable {
    private var lines: [String: Int] = [:]

    mutating func note(_ line: Int?, of path: String) {
        lines[path] = line
    }

    /// The line of a path, or of the nearest part of it that was read. Nil if no part was.
    func line(of path: String) -> Int? {
        var path = Substring(path)
        while !path.isEmpty {
            if let line = lines[String(path)] { return line }
            path = CatalogueLines.parent(of: path)
        }
        return nil
    }

    /// The path without its last part; empty for a path of one part.
    static func parent(of path: Substring) -> Substring {
        guard let separator = path.lastIndex(where: { $0 == "." || $0 == "/" || $0 == "[" }) else { return "" }
        return path[..<separator]
    }
}

/// The paths of a file whose values could not be read. A problem that is only a consequence of such a gap is not reported: a market whose
/// one provider could not be read does not lack providers.
struct CatalogueGaps: Sendable {
    private var paths: Set<String> = []
    /// The parts of these paths, so that ``hasInside(_:)`` takes one look-up.
    private var parts: Set<Substring> = []

    /// No gap: a catalogue that did not come from a file is complete.
    init() {}

    mutating func insert(_ path: String) {
        paths.insert(path)
        var part = Substring(path)
        while !part.isEmpty, parts.insert(part).inserted { part = CatalogueLines.parent(of: part) }
    }

    /// Whether the value at the path could not be read.
    func has(_ path: String) -> Bool { paths.contains(path) }

    /// Whether the value at the path, or a value inside of it, could not be read.
    func hasInside(_ path: String) -> Bool { parts.contains(Substring(path)) }
}
