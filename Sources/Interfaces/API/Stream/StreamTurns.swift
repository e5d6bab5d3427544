/// The turns that streams take with their heartbeats, and with the looks for changes whose signal was missed. A turn is a part of the streams
/// by their number, and lasts a second.
struct StreamTurns: Sendable {
    static let length = Duration.seconds(1)
    /// The turns of one ``APILimits/heartbeat``.
    static let ofHeartbeat = Int(APILimits.heartbeat / length)
    /// The turns of one ``APILimits/healing``.
    static let ofHealing = Int(APILimits.healing / length)

    private var passed = 0

    mutating func next() { passed += 1 }

    /// The turn of the streams that are looked after now.
    var healing: Int { passed % Self.ofHealing }

    /// Whether the stream of that number has its heartbeat now.
    func isHeartbeat(of stream: Int) -> Bool { stream % Self.ofHeartbeat == passed % Self.ofHeartbeat }

    /// The turn in which the stream of that number is looked after.
    static func healing(of stream: Int) -> Int { stream % ofHealing }
}
