import Testing
import TidingsCore
import TidingsHTTP
import TidingsProvider

@testable import ProviderJSONOverHTTP
@testable import TidingsJSON

/// The bodies that a service gets.
struct HTTPBodyTests {
    @Test func standardBodyHasEverythingInOrder() throws {
        #expect(
            String(decoding: try HTTPService.request(for: .orderShippedInFull()).body, as: UTF8.self)
                == """
                {"id":"019a3c2e-0000-7000-8000-000000000001","recipient":"user-42","tenant":"shop","channel":"push","type":"orderUpdate",\
                "category":"transactional","title":"Your order shipped","body":"It arrives \\"tomorrow\\".",\
                "data":{"orderId":"17","total":1.50},"createdAt":"2026-01-01T00:00:00.000Z","expiresAt":"2026-01-01T01:00:00.000Z",\
                "address":"device-token","idempotencyKey":"019a3c2e-0000-7000-8000-000000000001_0","silent":true,"badge":7}
                """)
    }

    @Test func standardBodyLeavesOutWhatIsMissing() throws {
        let item = OutgoingDelivery.orderShipped(title: nil, body: nil, data: #"{ "a" : [1e2] }"#)
        #expect(
            String(decoding: try HTTPService.request(for: item).body, as: UTF8.self)
                == """
                {"id":"019a3c2e-0000-7000-8000-000000000001","recipient":"user-42","tenant":"shop","channel":"push","type":"orderUpdate",\
                "category":"transactional","data":{ "a" : [1e2] },"createdAt":"2026-01-01T00:00:00.000Z",\
                "idempotencyKey":"019a3c2e-0000-7000-8000-000000000001_0","silent":false}
                """)
    }

    /// The name, the value in JSON, and the text inside a longer text.
    static let values: [(String, String, String)] = [
        ("id", #""019a3c2e-0000-7000-8000-000000000001""#, "019a3c2e-0000-7000-8000-000000000001"),
        ("recipient", #""user-42""#, "user-42"), ("tenant", #""shop""#, "shop"), ("channel", #""push""#, "push"),
        ("type", #""orderUpdate""#, "orderUpdate"), ("category", #""transactional""#, "transactional"),
        ("title", #""Your order shipped""#, "Your order shipped"),
        ("body", #""It arrives \"tomorrow\".""#, #"It arrives \"tomorrow\"."#),
        ("data", #"{"orderId":"17","total":1.50}"#, #"{\"orderId\":\"17\",\"total\":1.50}"#),
        ("createdAt", #""2026-01-01T00:00:00.000Z""#, "2026-01-01T00:00:00.000Z"),
        ("expiresAt", #""2026-01-01T01:00:00.000Z""#, "2026-01-01T01:00:00.000Z"), ("address", #""device-token""#, "device-token"),
        ("idempotencyKey", #""019a3c2e-0000-7000-8000-000000000001_0""#, "019a3c2e-0000-7000-8000-000000000001_0"),
        ("attempt", "3", "3"), ("groupKey", #""orders""#, "orders"), ("collapseKey", #""order-17""#, "order-17"),
        (
            "traceparent", #""00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01""#,
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        ),
        ("silent", "true", "true"), ("badge", "7", "7"), ("data.orderId", #""17""#, "17"), ("data.total", "1.50", "1.50"),
    ]

    @Test(arguments: values)
    func aPlaceholderIsItsValueOrText(_ name: String, _ value: String, _ text: String) throws {
        let body = try HTTPService.body(#"{"whole": "{{\#(name)}}", "inside": "<{{ \#(name) }}>"}"#, for: .orderShippedInFull())
        #expect(body == #"{"whole":\#(value),"inside":"<\#(text)>"}"#)
    }

    @Test func everyPropertyIsInTheTable() {
        #expect(Set(Placeholder.Property.allCases.map(\.rawValue)).isSubset(of: Self.values.map(\.0)))
    }

    @Test(arguments: [
        "title", "body", "expiresAt", "address", "groupKey", "collapseKey", "traceparent", "badge", "data.x", "data.orderId.x",
    ])
    func aMissingValueIsNullOrNothing(_ name: String) throws {
        let body = try HTTPService.body(
            #"{"whole":"{{\#(name)}}","inside":"<{{\#(name)}}>"}"#, for: .orderShipped(title: nil, body: nil))
        #expect(body == #"{"whole":null,"inside":"<>"}"#)
    }

    @Test func fieldsOfDataAreOfAnyKind() throws {
        let data = #"{"order":{"id":17,"lines":[1,{"a":2}],"paid":true,"note":null}}"#
        let template = #"["{{data.order.id}}","{{data.order.lines}}","{{data.order.paid}}","{{data.order.note}}","{{data.order.id.x}}"]"#
        #expect(try HTTPService.body(template, for: .orderShipped(data: data)) == #"[17,[1,{"a":2}],true,null,null]"#)
        let inside = #""{{data.order.id}} {{data.order.lines}} {{data.order.paid}} {{data.order.note}}.""#
        #expect(try HTTPService.body(inside, for: .orderShipped(data: data)) == #""17 [1,{\"a\":2}] true .""#)
    }

    @Test func templatesKeepTheirOwnShape() throws {
        let template = """
            {
              "z": [1.50, null, false, {"user": "{{recipient}}"}],
              "a": {"text": "{{title}}: {{body}}", "still": "}} no placeholder"},
              "all": "{{data}}"
            }
            """
        #expect(
            try HTTPService.body(template) == """
                {"z":[1.50,null,false,{"user":"user-42"}],"a":{"text":"Your order shipped: It arrives \\"tomorrow\\".",\
                "still":"}} no placeholder"},"all":{"orderId":"17","total":1.50}}
                """)
    }

    @Test func aWholeBodyMayBeOnePlaceholder() throws {
        #expect(try HTTPService.body(#""{{data}}""#) == #"{"orderId":"17","total":1.50}"#)
    }

    @Test(arguments: [
        #"","admin":true,"x":""#, "line\nbreak\r\n\t\u{0}\u{1}\u{7F}", #"\"\\"#, "{{title}} {{data.secret}}", "}}", "\u{2028}\u{1F600}é",
    ])
    func noValueChangesTheShapeOfTheJSON(_ hostile: String) throws {
        var item = OutgoingDelivery.orderShipped(recipient: hostile, title: hostile, body: hostile)
        item.content.data = (["secret": "s3cret", "field": .string(hostile.filter { $0 != "\0" })] as JSON).serialized
        let template = #"{"a":"{{title}}","b":"-{{body}}-","c":"{{data.field}}","d":"{{data}}"}"#
        let body = try HTTPService.body(template, for: item)
        var limits = JSONLimits()
        limits.allowsNulCharacter = true
        let json = try JSON.parse(body, limits: limits)
        #expect(json.objectValue?.keys == ["a", "b", "c", "d"])
        #expect(json["a"]?.stringValue == hostile)
        #expect(json["b"]?.stringValue == "-\(hostile)-")
        #expect(json["c"]?.stringValue == hostile.filter { $0 != "\0" })
        #expect(json["d"]?.objectValue?.keys == ["secret", "field"])
        let standard = try JSON.parse(try HTTPService.request(for: item).body, limits: limits)
        #expect(standard["title"]?.stringValue == hostile && standard["recipient"]?.stringValue == hostile && standard["admin"] == nil)
    }

    @Test func formsArePercentEncoded() throws {
        let item = OutgoingDelivery.orderShipped(recipient: "a&b=c d+é", title: "100% {{body}}")
        let body = try HTTPService.body(
            "to={{recipient}}&text={{title}}&data={{data}}&no={{badge}}", for: item, contentType: "application/x-www-form-urlencoded")
        #expect(
            body == """
                to=a%26b%3Dc%20d%2B%C3%A9&text=100%25%20%7B%7Bbody%7D%7D&\
                data=%7B%22orderId%22%3A%2217%22%2C%22total%22%3A1.50%7D&no=
                """)
    }

    @Test func otherTextIsLeftAsItIs() throws {
        let body = try HTTPService.body("{{recipient}}\n{{body}} {{data.total}}", contentType: "text/plain; charset=utf-8")
        #expect(body == "user-42\nIt arrives \"tomorrow\". 1.50")
    }

    @Test(arguments: ["application/json", "Application/JSON; charset=utf-8", "application/vnd.dmp+json"])
    func everyJSONTypeIsWrittenAsJSON(_ contentType: String) throws {
        #expect(try HTTPService.body(#"{ "t": "{{body}}" }"#, contentType: contentType) == #"{"t":"It arrives \"tomorrow\"."}"#)
    }

    @Test func aTitleOverTheLimitIsShortened() throws {
        let megabyte = OutgoingDelivery.orderShipped(title: String(repeating: "x", count: 1 << 20), body: nil)
        let fitted = try HTTPService.configuration(["body": #"["{{title}}",1]"#]).request(for: megabyte, channel: .push)
        #expect(fitted.message.body.count == 262_144)
        #expect(
            fitted.note == "the service takes 262144 bytes for the body: the title was shortened from 1048576 to 262138 bytes")
    }

    @Test func aBodyOverTheLimitIsRefusedWithItsSize() throws {
        let exact = ["body": #""{{recipient}}""#, "maximumBodyBytes": "9"]
        #expect(try HTTPService.request(exact).body == Array(#""user-42""#.utf8))
        #expect(throws: Refusal(.payloadTooLarge, "the body has 10 bytes; the service takes 9")) {
            try HTTPService.request(exact, for: .orderShipped(recipient: "user-420"))
        }
    }

    /// A header does not take every key. In the body the key stays as it is.
    @Test func aKeyInAHeaderHasTheFormOfAHeader() throws {
        var item = OutgoingDelivery.orderShipped()
        (item.content.groupKey, item.content.collapseKey) = ("a\nb", "order 17")
        let settings = ["headers": "X-Thread: {{groupKey}}\nX-Replaces: {{collapseKey}}", "body": #"["{{groupKey}}"]"#]
        let request = try HTTPService.request(settings, for: item)
        let headers = Dictionary(request.headers) { $1 }
        #expect(headers["X-Thread"] == "7e18f737311b2dc3b2f269dd78396b0351f14fb66efa879f768cb23181883c78")
        #expect(headers["X-Replaces"] == "order 17")
        #expect(request.body == Array(#"["a\nb"]"#.utf8))
    }

    @Test func dataThatCannotBeReadCountsAsNone() throws {
        #expect(try HTTPService.body(#"["{{data}}","{{data.x}}"]"#, for: .orderShipped(data: #"{"x":1,"x":2}"#)) == "[{},null]")
    }
}
