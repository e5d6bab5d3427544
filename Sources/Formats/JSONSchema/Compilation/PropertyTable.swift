import TidingsJSON

/// Finds the place of a member name among the names of a schema, without allocating. The table uses open addressing over FNV-1a of the
/// UTF-8.
///
/// The names come from the schema's author and the table never grows, so that no instance can make a look-up slow.
struct PropertyTable: Sendable {
    let names: [String]
    /// Places in ``names``, -1 for a free slot. The size is a power of two, and the table is at most half full.
    private let slots: [Int32]

    /// `names` must differ from one another.
    init(_ names: [String]) {
        self.names = names
        var size = 4
        while size < names.count * 2 { size *= 2 }
        var slots = [Int32](repeating: -1, count: size)
        for (place, name) in names.enumerated() {
            var slot = Self.hash(name) & (size - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (size - 1) }
            slots[slot] = Int32(place)
        }
        self.slots = slots
    }

    func place(of name: String) -> Int? {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] >= 0 {
            let place = Int(slots[slot])
            if isSameText(names[place], name) { return place }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private static func hash(_ name: String) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int(truncatingIfNeeded: hash >> 32)
    }
}
