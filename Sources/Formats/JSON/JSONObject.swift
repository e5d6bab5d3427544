/// The members of a JSON object, in the order they were written, each name at most once.
public struct JSONObject: Sendable {
    /// One member.
    public struct Entry: Sendable {
        /// The name, unescaped. Names compare code point by code point.
        public var key: String
        /// The value.
        public var value: JSON

        /// A member. The object keeps names different, the member does not.
        public init(key: String, value: JSON) {
            self.key = key
            self.value = value
        }
    }

    /// The members in order.
    public private(set) var entries: [Entry]

    /// An object without members.
    public init() { entries = [] }

    /// Takes members that are already known to have different names, as the parser and literals make them.
    package init(uniqueEntries: [Entry]) { entries = uniqueEntries }

    /// The number of members.
    public var count: Int { entries.count }
    /// Whether the object has no members.
    public var isEmpty: Bool { entries.isEmpty }

    /// The member names in order.
    public var keys: [String] { entries.map(\.key) }

    /// The value of that name. Setting a value replaces it in place or appends it, and setting nil removes it.
    ///
    /// Reading scans the members, because objects in messages are small. To look up many names in a large object, walk ``entries`` once
    /// instead.
    public subscript(_ key: String) -> JSON? {
        get {
            for entry in entries where isSameText(entry.key, key) { return entry.value }
            return nil
        }
        set {
            let position = entries.firstIndex { isSameText($0.key, key) }
            switch (position, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: Hashable {
    /// The number of members from which a comparison by table is cheaper than by scanning.
    private static let scanLimit = 16

    /// Whether both have the same names with equal values, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        if left.count <= scanLimit {
            return left.entries.allSatisfy { entry in right[entry.key].map { $0 == entry.value } ?? false }
        }
        var table: [ExactText: JSON] = Dictionary(minimumCapacity: right.count)
        for entry in right.entries { table[ExactText(entry.key)] = entry.value }
        return left.entries.allSatisfy { entry in table[ExactText(entry.key)].map { $0 == entry.value } ?? false }
    }

    public func hash(into hasher: inout Hasher) {
        var combined = 0
        for entry in entries {
            var own = Hasher()
            own.combineExactly(entry.key)
            own.combine(entry.value)
            combined ^= own.finalize()
        }
        hasher.combine(entries.count)
        hasher.combine(combined)
    }
}
