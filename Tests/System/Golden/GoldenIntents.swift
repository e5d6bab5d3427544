import TidingsJSON

/// Two hundred events that never change, made from a fixed sequence of numbers. The events cover every type of the catalogue and every
/// market. Each content field is present in some and absent in others. Some texts are ones that encoders get wrong.
enum GoldenIntents {
    static let count = 200

    /// CloudEvents in JSON, in the order of their ids `golden-0` to `golden-199`.
    static let events: [[UInt8]] = (0..<count).map(event)

    private static let types: [(name: String, data: String)] = [
        ("orderUpdate", #"{"orderId":"17","step":2,"paid":true}"#),
        ("promotion", #"{"code":"SPRING","rate":0.250,"items":[1,2.50,1e3,"ü"],"nested":{"a":null,"b":{"c":[]}}}"#),
        ("social", "{}"),
        ("metadata", #"{"file":"/a/b.json","bytes":12345678901234567890}"#),
        ("invoice", #"{"number":"INV-7","amount":40}"#),
    ]
    private static let texts = [
        "Your order shipped", "Größe: 42 – ¡ya está!", "quote \" backslash \\ slash / tab \t newline \n", "日本語のテキスト", "👩‍👩‍👧‍👦 family \u{301}",
        "a",
    ]
    private static let markets = ["eu", "us", "ca"]

    private static func event(_ index: Int) -> [UInt8] {
        var numbers = Sequence(seed: UInt64(index))
        let type = types[index % types.count]
        var json = JSONWriter()
        json.beginObject()
        json.member("specversion", "1.0")
        json.member("id", "golden-\(index)")
        json.member("source", numbers.coin() ? "/shop" : "https://example.com/orders?a=1")
        json.member("type", type.name)
        if numbers.coin() { json.member("time", "2026-01-15T08:00:0\(index % 10).5Z") }
        if numbers.coin() { json.member("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920331c-01") }
        json.key("data")
        json.beginObject()
        json.member("recipient", "user-\(index % 7)")
        json.member("market", markets[index % markets.count])
        let text = texts[Int(numbers.next() % UInt64(texts.count))]
        // The invoice's template replaces a missing text.
        if type.name != "invoice" || numbers.coin() { json.member("title", text) }
        if numbers.coin() { json.member("body", "\(text) \(index)") }
        json.key("data")
        json.raw(type.data)
        if numbers.coin() { json.member("groupKey", "group-\(index % 4)") }
        if numbers.coin() { json.member("collapseKey", "collapse-\(index % 5)-" + String(repeating: "x", count: index)) }
        if numbers.coin() { json.member("expiresAt", "2026-01-16T10:30:00+01:00") }
        if numbers.coin() { json.member("tenant", "acme") }
        if type.name == "orderUpdate", numbers.coin() { json.member("critical", true) }
        json.endObject()
        json.endObject()
        return json.bytes
    }

    /// A linear congruential generator (Knuth's MMIX constants), of which the high bits are used.
    private struct Sequence {
        var state: UInt64

        init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }

        mutating func coin() -> Bool { next() & 1 == 0 }
    }
}
