/// A positive or negative acknowledgement to be sent to the broker. A negative one is a rejection.
struct Acknowledgement {
    var frame: DeliveryLedger.Frame
    var kind: Kind
    enum Kind { case acknowledge, reject(requeue: Bool) }
}

/// The unsettled deliveries of one channel. The ledger settles many deliveries with few frames.
///
/// Tags count from 1 without gaps. A `multiple` frame settles every open tag up to its own, so it may be used only if no lower tag is still
/// open. Settling a tag twice makes the broker close the channel (406), so tags that are not open are ignored.
struct DeliveryLedger {
    struct Frame: Equatable {
        var tag: UInt64
        var multiple: Bool
    }

    /// The lowest open tag, or the highest delivered tag plus 1.
    private var lowest: UInt64 = 1
    private var highest: UInt64 = 0
    /// Settled tags above `lowest`.
    private var settledAhead: Set<UInt64> = []

    var openCount: Int { Int(highest + 1 - lowest) - settledAhead.count }

    mutating func delivered(_ tag: UInt64) { highest = max(highest, tag) }

    /// Marks `tags` as settled and returns the frames to send, in order.
    mutating func settle(_ tags: some Sequence<UInt64>) -> [Frame] {
        var fresh: [UInt64] = []
        for tag in tags where tag >= lowest && tag <= highest && settledAhead.insert(tag).inserted { fresh.append(tag) }
        while settledAhead.remove(lowest) != nil { lowest += 1 }
        // All tags below `lowest` are settled now, so one frame covers the fresh tags there. The frame names the highest of these tags, and
        // not `lowest - 1`, which may have been settled another way.
        var frames: [Frame] = []
        let covered = fresh.filter { $0 < lowest }
        if let top = covered.max() { frames.append(Frame(tag: top, multiple: covered.count > 1)) }
        return frames + fresh.filter { $0 > lowest }.sorted().map { Frame(tag: $0, multiple: false) }
    }
}
