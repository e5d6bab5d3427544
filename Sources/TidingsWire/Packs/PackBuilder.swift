public import TidingsCore

/// Sorts deliveries into packs: one channel, provider and lane each, at most ``Pack/maximumEntries`` entries and ``Pack/maximumBytes``
/// encoded.
///
/// The order is stable: groups in the order in which their first entry was added, and entries in the order in which they were added.
/// An entry that alone exceeds the size gets a pack to itself, because splitting one delivery is not possible.
public struct PackBuilder: Sendable {
    private let maximumEntries: Int
    private let maximumBytes: Int
    private var groups: [Group] = []
    private var indexOfGroup: [Key: Int] = [:]
    /// Entries are encoded once to learn their size; what is written here is never read.
    private var scratch = JSONWriter(capacity: Pack.maximumBytes)

    /// The limits are arguments only for tests and measurements; both must be at least 1.
    public init(maximumEntries: Int = Pack.maximumEntries, maximumBytes: Int = Pack.maximumBytes) {
        precondition(maximumEntries >= 1 && maximumBytes >= 1, "a pack holds at least one entry of at least one byte")
        self.maximumEntries = maximumEntries
        self.maximumBytes = maximumBytes
    }

    public mutating func add(_ entry: PackEntry, channel: Channel, provider: String, lane: Lane) {
        let key = Key(channel: channel, provider: provider, lane: lane)
        let index: Int
        if let known = indexOfGroup[key] {
            index = known
        } else {
            index = groups.count
            indexOfGroup[key] = index
            groups.append(Group(key: key))
        }
        groups[index].add(entry, bytes: encodedBytes(of: entry), maximumEntries: maximumEntries, maximumBytes: maximumBytes)
    }

    /// The packs of everything added, each with a fresh id; the builder is empty afterwards.
    public mutating func finish<Failure: Error>(nextID: () throws(Failure) -> PackID) throws(Failure) -> [Pack] {
        var packs: [Pack] = []
        for group in groups {
            for entries in group.packs {
                let id = try nextID()
                packs.append(Pack(id: id, channel: group.key.channel, provider: group.key.provider, lane: group.key.lane, entries: entries))
            }
        }
        groups.removeAll()
        indexOfGroup.removeAll()
        return packs
    }

    /// The size of an entry in a pack, counting one comma.
    private mutating func encodedBytes(of entry: PackEntry) -> Int {
        if scratch.bytes.count >= Pack.maximumBytes { scratch = JSONWriter(capacity: Pack.maximumBytes) }
        let before = scratch.bytes.count
        entry.write(to: &scratch)
        return scratch.bytes.count - before + (before == 0 ? 1 : 0)
    }

    private struct Key: Sendable, Hashable {
        var channel: Channel
        var provider: String
        var lane: Lane
    }

    private struct Group: Sendable {
        let key: Key
        var packs: [[PackEntry]] = []
        /// Encoded size of the last pack, its envelope included.
        var bytes = 0

        init(key: Key) {
            self.key = key
        }

        mutating func add(_ entry: PackEntry, bytes entryBytes: Int, maximumEntries: Int, maximumBytes: Int) {
            if let last = packs.indices.last, packs[last].count < maximumEntries, bytes + entryBytes <= maximumBytes {
                packs[last].append(entry)
                bytes += entryBytes
            } else {
                packs.append([entry])
                bytes = Pack.envelopeBytes + key.provider.utf8.count + entryBytes
            }
        }
    }
}
