/// The elements of an array, or members of an object by their place, that some keyword has evaluated. The first 64 cost no memory.
struct EvaluatedMarks {
    private var first: UInt64 = 0
    private var more: [UInt64] = []

    func contains(_ place: Int) -> Bool {
        if place < 64 { return first & (1 << UInt64(place)) != 0 }
        let word = place / 64 - 1
        return word < more.count && more[word] & (1 << UInt64(place % 64)) != 0
    }

    mutating func insert(_ place: Int) {
        if place < 64 {
            first |= 1 << UInt64(place)
            return
        }
        let word = place / 64 - 1
        while more.count <= word { more.append(0) }
        more[word] |= 1 << UInt64(place % 64)
    }

    mutating func formUnion(_ other: EvaluatedMarks) {
        first |= other.first
        while more.count < other.more.count { more.append(0) }
        for (word, bits) in other.more.enumerated() { more[word] |= bits }
    }
}
