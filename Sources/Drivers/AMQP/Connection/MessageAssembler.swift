/// Joins method, header and body frames into events. A value without I/O: a frame goes in, and an event may come out.
struct MessageAssembler {
    fileprivate enum Envelope {
        case delivery(Delivery.Envelope)
        case returned(code: Int, text: String)
    }

    fileprivate enum State {
        case idle
        case awaitingHeader(Envelope)
        case awaitingBody(Envelope, MessageProperties, missing: UInt64, body: [UInt8], isTruncated: Bool)
    }

    private var state = State.idle

    mutating func receive(_ frame: consuming IncomingFrame) throws(AMQPError) -> BrokerEvent? {
        switch (exchangeState(), frame) {
        case (.idle, .deliver(let envelope)):
            state = .awaitingHeader(.delivery(envelope))
            return nil
        case (.idle, .returned(let code, let text)):
            state = .awaitingHeader(.returned(code: code, text: text))
            return nil
        case (.awaitingHeader(let envelope), .header(let size, let properties)):
            if size == 0 { return Self.finish(envelope, properties, [], isTruncated: false) }
            state = .awaitingBody(envelope, properties, missing: size, body: [], isTruncated: false)
            return nil
        case (.awaitingBody(let envelope, let properties, let missing, var body, var isTruncated), .body(let bytes)):
            guard bytes.count <= missing else { throw .connectionClosed(code: 501, text: "a body longer than its header says") }
            Self.add(bytes, to: &body, expecting: missing, &isTruncated)
            let left = missing - UInt64(bytes.count)
            if left == 0 { return Self.finish(envelope, properties, body, isTruncated: isTruncated) }
            state = .awaitingBody(envelope, properties, missing: left, body: body, isTruncated: isTruncated)
            return nil
        case (let state, .event(let event)) where state.allows(event):
            self.state = state
            return event
        case (let state, .ignored):
            self.state = state
            return nil
        default:
            throw .connectionClosed(code: 505, text: "a frame that does not belong here")
        }
    }

    private mutating func exchangeState() -> State {
        let current = state
        state = .idle
        return current
    }

    private static func add(_ bytes: [UInt8], to body: inout [UInt8], expecting missing: UInt64, _ isTruncated: inout Bool) {
        let free = AMQPMessage.maximumBodyBytes - body.count
        if bytes.count > free { isTruncated = true }
        if body.isEmpty && bytes.count <= free && bytes.count == missing {
            body = bytes
        } else {
            if body.isEmpty { body.reserveCapacity(Int(min(missing, UInt64(AMQPMessage.maximumBodyBytes)))) }
            body.append(contentsOf: bytes.prefix(free))
        }
    }

    private static func finish(_ envelope: Envelope, _ properties: MessageProperties, _ body: [UInt8], isTruncated: Bool) -> BrokerEvent {
        switch envelope {
        case .delivery(let envelope):
            .delivered(Delivery(envelope: envelope, properties: properties, body: body, isBodyTruncated: isTruncated))
        case .returned(let code, let text):
            .returned(Returned(code: code, text: text, messageID: properties.messageID))
        }
    }
}

extension MessageAssembler.State {
    /// Whether an event may arrive between a method and its body. Only the events of channel 0 and the close of the channel may.
    fileprivate func allows(_ event: BrokerEvent) -> Bool {
        if case .idle = self { return true }
        switch event {
        case .blocked, .unblocked, .channelClosed, .connectionClosed: return true
        default: return false
        }
    }
}
