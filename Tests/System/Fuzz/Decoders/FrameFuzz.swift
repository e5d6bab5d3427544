import CRabbitMQ

@testable import TidingsAMQP

/// The bytes that a broker or an impostor sends, through the library's frame decoder into ours.
struct FrameFuzz: FuzzTarget {
    static let name = "frames"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator

    init() {
        corpus = FrameCorpus.conversations + [FrameCorpus.alike, FrameCorpus.deep]
        mutator = ByteMutator(corpus: FrameCorpus.conversations, words: FrameCorpus.words)
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        if random.oneIn(3) {
            // A conversation of whole frames reaches the code behind the first frame.
            for _ in 0...random.size(upTo: 6) { bytes += random.pick(FrameCorpus.frames) }
            if random.oneIn(2) { mutator.change(&bytes, &random) }
        } else if random.oneIn(2) {
            var encoder = TableEncoder(random: random)
            bytes = FrameCorpus.deliver + FrameCorpus.header(encoder.table(), bodyBytes: 2) + FrameCorpus.body("{}")
        } else {
            bytes = mutator.mutated(&random)
        }
        return bytes
    }

    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        guard let state = amqp_new_connection() else { throw BrokenProperty(description: "no memory for a connection") }
        defer { amqp_destroy_connection(state) }
        // The connection is in the state after a login: past the greeting, with one channel and the largest frame that Tidings asks for.
        _ = Self.next(in: FrameCorpus.greeting[...], state)
        amqp_tune_connection(state, 1, Self.frameMaximum, 0)
        var assembler = MessageAssembler()
        var rest = input[...]
        while !rest.isEmpty {
            let (taken, frame) = Self.next(in: rest, state)
            guard taken > 0 else { return .refused }
            rest = rest.dropFirst(Int(taken))
            guard frame.frame_type != 0 else { continue }
            let event = Result { () throws(AMQPError) in try assembler.receive(IncomingFrame(frame)) }
            switch event {
            case .success(let event): if let event { try check(event) }
            case .failure(.connectionClosed): return .refused
            case .failure(let error): throw BrokenProperty(description: "an error that a frame cannot mean: \(error)")
            }
        }
        return .accepted
    }

    private static let frameMaximum: Int32 = 128 << 10

    /// The number of bytes that the library took, or its error, and the frame that they complete.
    private static func next(in bytes: ArraySlice<UInt8>, _ state: amqp_connection_state_t) -> (taken: Int32, frame: amqp_frame_t) {
        var frame = amqp_frame_t()
        let taken = bytes.withUnsafeBytes { buffer in
            amqp_handle_input(state, amqp_bytes_t(len: buffer.count, bytes: UnsafeMutableRawPointer(mutating: buffer.baseAddress)), &frame)
        }
        return (taken, frame)
    }

    private func check(_ event: BrokerEvent) throws {
        guard case .delivered(let delivery) = event else { return }
        try require(delivery.body.count <= AMQPMessage.maximumBodyBytes, "a body of \(delivery.body.count) bytes")
        try AMQPProperties.requireBounded(delivery.properties)
    }
}
