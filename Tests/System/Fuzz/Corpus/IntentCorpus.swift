import TidingsCore

@testable import TidingsCatalogue
@testable import TidingsContracts
@testable import TidingsJSON
@testable import TidingsPipeline

/// A catalogue, and events for it that are worth mutating.
enum IntentCorpus {
    /// 2026-06-01T12:00:00Z.
    static let now = Timestamp(seconds: 1_780_315_200)

    static let decoder: IntentDecoder = {
        do {
            return try IntentDecoder(catalogue: CompiledCatalogue(CatalogueFile.parse(yaml: catalogue)))
        } catch {
            preconditionFailure("the catalogue of the tests is broken: \(error)")
        }
    }()

    private static let catalogue = """
        types:
          orderUpdate: {category: transactional, allowsCritical: true}
          weeKly: {category: marketing}
          metadata: {category: system, silent: true, channels: [push]}
          invoice:
            category: transactional
            title: "Invoice {{number}} {{a}}"
            body: "{{total}} due"
            schema:
              type: object
              required: [number]
              properties:
                number: {type: string, minLength: 1, pattern: "^[^<>]*$"}
                total: {type: number, multipleOf: 0.01}
                due: {type: string, format: date}
                lines: {type: array, uniqueItems: true, maxItems: 1000, items: {type: [string, number]}}
              additionalProperties: false
        markets:
          default: {push: [nullPush], inApp: [inApp]}
          Keller: {push: [nullPush], inApp: [inApp]}
        defaultMarket: default
        providers:
          nullPush: {channel: push, kind: "null"}
          inApp: {channel: inApp, kind: inApp}
        """

    static let names = [
        "specversion", "id", "source", "type", "time", "datacontenttype", "data", "data_base64", "traceparent", "subject", "dataschema",
        "myext",
        "recipient", "recipients", "title", "body", "channels", "scheduledFor", "expiresAt", "groupKey", "collapseKey", "critical",
        "market",
        "tenant", "number", "total", "due", "lines", "group\u{212A}ey", "collapse\u{212A}ey",
    ]

    static let values: [JSON] = [
        "1.0", "orderUpdate", "invoice", "metadata", "weeKly", "wee\u{212A}ly", "order\u{212A}", "push", ["push", "inApp"],
        ["push", "push"],
        ["carrierPigeon"], "default", "Keller", "\u{212A}eller", "nowhere", "shop", ["user-1", "user-2", "user-1"], ["a", ""],
        "2026-06-01T13:00:00Z",
        "2026-05-31T11:59:59Z", "2028-06-01T12:00:00Z", "application/json", "application/cloudevents+json; charset=\"UTF-8\"", "text/plain",
        ["recipient": "user-1", "title": "t"], ["number": "17", "total": 12], true, 1,
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-more",
    ]

    static let contentTypes = [
        "application/cloudevents+json", "application/cloudevents-batch+json", "application/json", "application/cloudevents+avro",
        "text/plain", "",
        "APPLICATION/CLOUDEVENTS+JSON;charset=utf-8", "application/cloudevents+json; charset=latin1", ";", "application/json;;charset=",
    ]

    static let events: [String] = [
        #"{"specversion":"1.0","id":"o-17","source":"/shop","type":"orderUpdate","time":"2026-06-01T11:59:59.5Z","data":{"recipient":"user-42","title":"Your order shipped","body":"b","data":{"orderId":"17"},"critical":true,"groupKey":"g","collapseKey":"c"}}"#,
        #"{"specversion":"1.0","id":"i-1","source":"urn:x","type":"invoice","datacontenttype":"application/json","data":{"recipients":["user-1","user-2"],"data":{"number":"17","total":12.50,"due":"2026-07-01","lines":["a",1]},"market":"Keller","tenant":"shop"}}"#,
        #"{"specversion":"1.0","id":"m","source":"s","type":"metadata","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01","data":{"recipient":"device-9","data":{"a":[1,{"b":null}]}}}"#,
        #"{"specversion":"1.0","id":"p","source":"s","type":"weeKly","myext":"x","data":{"recipient":"user-1","title":"Hello","channels":["push","inApp"],"scheduledFor":"2026-06-02T12:00:00+02:00","expiresAt":"2026-06-03T12:00:00Z"}}"#,
        #"{"specversion":"1.0","id":"k","source":"s","type":"wee\u212aly","data":{"recipient":"user-1","title":"Hello"}}"#,
        #"{"specversion":"1.0","id":"k","source":"s","type":"weeKly","data":{"recipient":"user-1","title":"Hello","market":"\u212aeller"}}"#,
        #"{"specversion":"1.0","id":"k","source":"s","type":"weeKly","data":{"recipient":"u","title":"t","groupKey":"a","group\u212aey":"b"}}"#,
        #"{"specversion":"1.0","id":"e","source":"s","type":"\u001b[31mred","data":{"recipient":"user-1"}}"#,
    ]

    static let messages: [IncomingMessage] = {
        let event = Array(events[0].utf8)
        let alike = Extremes.equivalentNames(3_000)
        func structured(_ text: String) -> IncomingMessage {
            IncomingMessage(body: Array(text.utf8), contentType: ContentMode.structuredType)
        }
        func binary(_ body: String, _ headers: [String: String]) -> IncomingMessage {
            let attributes = ["specversion": "1.0", "id": "b", "source": "s", "type": "orderUpdate"]
            let own = Dictionary(uniqueKeysWithValues: attributes.map { ("cloudEvents_\($0.key)", $0.value) })
            return IncomingMessage(body: Array(body.utf8), contentType: "application/json", headers: own.merging(headers) { $1 })
        }
        let deep = String(repeating: #"{"a":"#, count: 63) + "1" + String(repeating: "}", count: 63)
        return [
            IncomingMessage(
                body: Array("[".utf8) + event + Array(",".utf8) + event + Array(",,{}]".utf8), contentType: ContentMode.batchType),
            IncomingMessage(body: [], contentType: nil), IncomingMessage(body: event, contentType: "application/json"),
            IncomingMessage(body: event, contentType: ContentMode.structuredType, headersTooDeep: true),
            IncomingMessage(body: event, contentType: ContentMode.structuredType, isUnroutable: true),
            binary(#"{"recipient":"user-1","title":"t"}"#, [:]),
            binary(#"{"recipient":"user-1","title":"t"}"#, ["cloudEvents_id": "a\u{0}b"]),
            binary(#"{"recipient":"user-1","title":"t"}"#, ["CloudEvents_id": "c", "cloudEvents:tenant": "shop"]),
            IncomingMessage(
                body: Array(#"{"recipient":"user-1","title":"t"}"#.utf8), contentType: "application/json",
                headers: ["ce-id": "a", "ce-source": "/s", "ce_type": "orderUpdate"]),
            // In structured form the data lies one level deeper.
            binary(#"{"recipient":"user-1","title":"t","data":"# + deep + "}", ["cloudEvents_type": "nothing"]),
            binary("", ["cloudEvents_data": "\u{0}", "cloudEvents_data_base64": "x"]),
            binary("{}", Dictionary((0..<6_000).map { ("cloudEvents_x\($0)", "") }) { $1 }),
            structured(
                #"{"specversion":"1.0","id":"\#(Extremes.tower)\#(Extremes.tower)","source":"s","type":"\#(Extremes.tower)","data":{}}"#),
            structured("{" + alike.map { "\"\($0)\":1" }.joined(separator: ",") + "}"),
            structured(
                #"{"specversion":"1.0","id":"l","source":"s","type":"invoice","data":{"recipient":"u","data":{"number":"1","lines":["#
                    + alike.prefix(1_000).map { "\"\($0)\"" }.joined(separator: ",") + "]}}}"),
            structured(
                #"{"specversion":"1.0","id":"r","source":"s","type":"orderUpdate","data":{"title":"t","recipients":["#
                    + alike.prefix(1_000).map { "\"\($0)\"" }.joined(separator: ",") + "]}}"),
            IncomingMessage(body: Array(repeating: UInt8(ascii: "["), count: 1 << 20), contentType: ContentMode.batchType),
            IncomingMessage(body: Array(("[" + String(repeating: "{},", count: 900) + "{}]").utf8), contentType: ContentMode.batchType),
        ]
    }()
}
