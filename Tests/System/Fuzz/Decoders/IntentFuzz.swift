import TidingsCore

@testable import TidingsContracts
@testable import TidingsJSON
@testable import TidingsPipeline

/// The messages that producers publish: structured, batched and binary events, with damage of every degree.
struct IntentFuzz: FuzzTarget {
    struct Input {
        var message: IncomingMessage
        var rights = ProducerRights.unrestricted
    }

    static let name = "intents"
    private static let rights: [ProducerRights] = [
        .unrestricted, .unrestricted, .unknown, .only(tenants: ["default", "shop"], own: [], others: ["/web"]),
        .only(tenants: ["default"], own: ["/", "/shop"], others: []),
    ]
    let corpus: [Input]
    private let events: [JSON]
    private let ofBytes: ByteMutator
    private let ofEvents: JSONMutator

    init() {
        events =
            RepositorySchemas.files(below: "examples/intent").compactMap { try? JSON.parse($0) }
            + IntentCorpus.events.compactMap { try? JSON.parse($0) }
        let bodies = events.map(\.serializedBytes)
        corpus =
            bodies.map { Input(message: IncomingMessage(body: $0, contentType: ContentMode.structuredType)) }
            + RepositorySchemas.files(below: "examples").map {
                Input(message: IncomingMessage(body: $0, contentType: ContentMode.batchType))
            }
            + IntentCorpus.messages.map { Input(message: $0) }
        ofBytes = ByteMutator(corpus: bodies, words: IntentCorpus.names.map { "\"\($0)\":" } + IntentCorpus.contentTypes)
        ofEvents = JSONMutator(names: IntentCorpus.names, values: IntentCorpus.values)
    }

    func input(_ random: inout FuzzRandom) -> Input {
        var message: IncomingMessage
        switch random.below(4) {
        case 0: message = batch(&random)
        case 1: message = binary(&random)
        default: message = IncomingMessage(body: event(&random), contentType: ContentMode.structuredType)
        }
        if random.oneIn(12) { message.contentType = random.pick(IntentCorpus.contentTypes) }
        if random.oneIn(200) { message.contentType = nil }
        if random.oneIn(10) { message.headers["traceparent"] = random.pick(Extremes.texts) }
        message.isUnroutable = random.oneIn(50)
        message.headersTooDeep = random.oneIn(200)
        return Input(message: message, rights: random.pick(Self.rights))
    }

    private func event(_ random: inout FuzzRandom) -> [UInt8] {
        random.oneIn(3) ? ofBytes.mutated(&random) : ofEvents.mutated(random.pick(events), &random).serializedBytes
    }

    private func batch(_ random: inout FuzzRandom) -> IncomingMessage {
        var body = Array("[".utf8)
        for place in 0..<random.size(upTo: 8) {
            if place > 0 { body.append(UInt8(ascii: ",")) }
            body += event(&random)
        }
        body.append(UInt8(ascii: "]"))
        if random.oneIn(8) { ofBytes.change(&body, &random) }
        return IncomingMessage(body: body, contentType: ContentMode.batchType)
    }

    /// A binary message: the attributes become headers, and the data becomes the body.
    private func binary(_ random: inout FuzzRandom) -> IncomingMessage {
        var message = IncomingMessage(body: [], contentType: random.oneIn(4) ? nil : "application/json")
        for entry in ofEvents.mutated(random.pick(events), &random).objectValue?.entries ?? [] {
            if entry.key == "data", !random.oneIn(20) {
                message.body = entry.value.serializedBytes
            } else {
                message.headers[random.pick(["cloudEvents_", "cloudEvents:", "cloudevents_"]) + entry.key] =
                    entry.value.stringValue ?? entry.value.serialized
            }
        }
        if random.oneIn(8) { ofBytes.change(&message.body, &random) }
        return message
    }

    func bytes(of input: Input) -> [UInt8] {
        Array("\(input.message.contentType ?? "-") \(input.message.headers.sorted { $0.key < $1.key })\n".utf8) + input.message.body
    }

    func feed(_ input: Input) throws -> FuzzVerdict {
        let decoded = decode(input)
        let again = decode(input)
        try require(decoded.intents == again.intents && decoded.rejections == again.rejections, "decoded twice, two results")
        let limits = IntentCorpus.decoder.limits
        try require(decoded.intents.count <= limits.maximumIntentsPerMessage, "\(decoded.intents.count) intents")
        try require(decoded.taken >= decoded.intents.count + decoded.rejections.count, "fewer taken than told of")
        if decoded.taken == 0 {
            let elements = try? JSON.splitArray(input.message.body, maximumElements: 1)
            try require(elements == [], "an event was neither accepted nor refused")
        }
        let checks = IntentProperties(decoder: IntentCorpus.decoder, now: IntentCorpus.now, message: input.message)
        for intent in decoded.intents { try checks.check(intent) }
        for rejection in decoded.rejections {
            try checks.check(rejection)
            try checkReplay(rejection, of: input)
        }
        return decoded.rejections.isEmpty ? .accepted : .refused
    }

    private func decode(_ input: Input) -> DecodedMessage {
        IntentCorpus.decoder.decode(input.message, rights: input.rights, now: IntentCorpus.now)
    }

    /// A replay of a rejected event is refused again for the same reason and counts in the same row, because it is the same event.
    private func checkReplay(_ rejection: Rejection, of input: Input) throws {
        let dependsOnMore: Set<ReasonCode> = [.headersTooDeep, .unroutable, .tooManyRecipients]
        guard rejection.isReplayable, !dependsOnMore.contains(rejection.reason) else { return }
        let message = IncomingMessage(body: rejection.raw, contentType: rejection.contentType, headers: input.message.headers)
        let decoded = decode(Input(message: message, rights: input.rights))
        try require(decoded.intents.isEmpty && decoded.rejections.count == 1, "refused (\(rejection.reason)) and accepted when replayed")
        let again = decoded.rejections[0]
        let reason = again.reason
        try require(reason == rejection.reason, "refused (\(rejection.reason): \(rejection.message)), and when replayed: \(reason)")
        let isSame =
            again.sha256 == rejection.sha256 && again.contentType == rejection.contentType && again.attributes == rejection.attributes
        try require(isSame && again.pointer == rejection.pointer, "refused as one event, and as another when replayed")
    }
}
