public import TidingsCore
import TidingsJSON

/// Sorts deliveries into packs: one channel, provider and lane each, at most ``Pack/maximumEntries`` entries and ``Pack/maximumBytes``
/// encoded.
///
/// The order is stable. Groups come in the order in which their first entry was added, and entries in the order in which they were added.
/// An entry that alone exceeds the size gets its own pack, because one delivery cannot be split.
public struct PackBuilder: Sendable {
    private let maximumEntries: Int
    private let maximumBytes: Int
    private var groups: [Group] = []
    private var indexOfGroup: [Key: Int] = [:]

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
        groups[index].add(entry, maximumEntries: maximumEntries, maximumBytes: maximumBytes)
    }

    /// Returns the packs of everything added, each with a fresh id. The builder is empty afterwards.
    public mutating func finish<Failure: Error>(nextID: () throws(Failure) -> PackID) throws(Failure) -> [Pack] {
        var packs: [Pack] = []
        for group in groups {
            for open in group.packs {
                packs.append(
                    Pack(
                        id: try nextID(), channel: group.key.channel, provider: group.key.provider, lane: group.key.lane,
                        entries: open.entries, encodedEntries: open.encoded))
            }
        }
        groups.removeAll()
        indexOfGroup.removeAll()
        return packs
    }

    private struct Key: Sendable, Hashable {
        var channel: Channel
        var provider: String
        var lane: Lane
    }

    /// A pack that is still growing. An entry is encoded to learn its size, and these bytes are kept for the message.
    private struct OpenPack: Sendable {
        var entries: [PackEntry] = []
        /// The entries' JSON with commas between.
        var encoded: [UInt8] = []
    }

    private struct Group: Sendable {
        let key: Key
        var packs: [OpenPack] = []

        init(key: Key) {
            self.key = key
        }

        mutating func add(_ entry: PackEntry, maximumEntries: Int, maximumBytes: Int) {
            var writer = JSONWriter(capacity: PackEntry.typicalBytes)
            entry.write(to: &writer)
            let envelope = Pack.envelopeBytes + key.provider.utf8.count
            if let last = packs.indices.last, packs[last].entries.count < maximumEntries,
                envelope + packs[last].encoded.count + 1 + writer.bytes.count <= maximumBytes
            {
                packs[last].encoded.append(UInt8(ascii: ","))
                packs[last].encoded += writer.bytes
                packs[last].entries.append(entry)
            } else {
                packs.append(OpenPack(entries: [entry], encoded: writer.bytes))
            }
        }
    }
}
