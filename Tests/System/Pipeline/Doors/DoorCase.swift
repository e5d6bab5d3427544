import TidingsCore
import TidingsJSON
import TidingsPostgres

/// One input that comes through every door: the same event over HTTP and AMQP, and the same arguments of `tidings_api.enqueue`.
struct DoorCase: Sendable {
    enum Form: String, Sendable, CaseIterable {
        case recipient, tenant, source, key, channels, data, time
    }

    let form: Form
    /// The value as it stands in an event.
    let json: JSON
    /// The value as an argument of `tidings_api.enqueue`.
    let sql: SQL
    /// The value in words, for a message.
    let name: String

    /// The beginning of the pointers at this form in an event.
    var pointer: String {
        switch form {
        case .recipient: "/data/recipient"
        case .tenant: "/data/tenant"
        case .source: "/source"
        case .key: "/id"
        case .channels: "/data/channels"
        case .data: "/data/data"
        case .time: "/data/scheduledFor"
        }
    }

    /// An event with the value in its place. Everything else in the event is right.
    func event(id: String, recipient: String, title: String) -> String {
        var data = JSONObject()
        data["recipient"] = form == .recipient ? json : .string(recipient)
        data["title"] = .string(title)
        switch form {
        case .tenant: data["tenant"] = json
        case .channels: data["channels"] = json
        case .data: data["data"] = json
        case .time: data["scheduledFor"] = json
        case .recipient, .source, .key: break
        }
        var event = JSONObject()
        event["specversion"] = "1.0"
        event["id"] = form == .key ? json : .string(id)
        event["source"] = form == .source ? json : "/doors"
        event["type"] = "orderUpdate"
        event["data"] = .object(data)
        return JSON.object(event).serialized
    }

    /// The call with the value as its argument. Everything else in the call is right.
    var call: SQL {
        let argument: SQL =
            switch form {
            case .recipient: "recipient => \(sql)"
            case .tenant: "recipient => 'r', tenant => \(sql)"
            case .source: "recipient => 'r', source => \(sql)"
            case .key: "recipient => 'r', key => \(sql)"
            case .channels: "recipient => 'r', channels => \(sql)"
            case .data: "recipient => 'r', data => \(sql)"
            case .time: "recipient => 'r', send_at => \(sql)"
            }
        return "select tidings_api.enqueue('orderUpdate', title => 'T', \(argument))"
    }
}

extension DoorCase {
    /// - Parameter now: the database's clock in seconds since 1970.
    static func all(now: Int64) -> [DoorCase] {
        recipients + tenants + sources + keys + channelLists + data + times(now: now)
    }

    private static func text(_ form: Form, _ value: String) -> DoorCase {
        DoorCase(form: form, json: .string(value), sql: "\(value)", name: "\(form) \(value.debugDescription)")
    }

    /// Controls, spaces, signs that reorder or hide, and letters with another spelling.
    private static let characters: [Unicode.Scalar] =
        (0x01...0x20).compactMap(Unicode.Scalar.init) + [
            "\u{7F}", "\u{80}", "\u{85}", "\u{A0}", "\u{AD}", "\u{2028}", "\u{202E}", "\u{FEFF}", "é", "\u{301}", "😀",
        ]

    private static let recipients =
        characters.map { text(.recipient, "a\($0)b") } + characters.map { text(.recipient, "\($0)") }
        + ["", " ", "  ", "a", "a/b", "..", "a?b#c", "%00", "a\\b", "\"", "'; drop table x; --"].map { text(.recipient, $0) }
        + lengths(of: 256).map { text(.recipient, $0) }

    private static let tenants =
        ["", " ", "a", "a b", "a.b", "a/b", "a:b", "a*", "*", "_", "-", "A-z_9", "ä", "a\n", "\na", "a\u{7F}", "٣", "default"]
        .map { text(.tenant, $0) } + lengths(of: 64).map { text(.tenant, $0) }

    private static let sources =
        characters.map { text(.source, "/a\($0)b") }
        + ["", " ", "/", "a", "https://shop.example/x?y=z#f", "urn:uuid:1", "a b", "//", "\u{20AC}", "%"].map { text(.source, $0) }
        + lengths(of: 512).map { text(.source, $0) }

    private static let keys =
        characters.map { text(.key, "k\($0)k") } + ["", " ", "a/b", "'", "\\", "{}"].map { text(.key, $0) }
        + lengths(of: 256).map { text(.key, $0) }

    /// Texts that have the limit in bytes, one byte less and one more, of one, two and four bytes a character.
    private static func lengths(of limit: Int) -> [String] {
        ["x", "é", "😀"].flatMap { letter in
            [limit - 1, limit, limit + 1].map { bytes in
                let size = letter.utf8.count
                return String(repeating: letter, count: bytes / size) + String(repeating: "x", count: bytes % size)
            }
        }
    }

    private static let channelLists: [DoorCase] = {
        let known = Channel.allCases.map { [$0.rawValue] as [String?] }
        let lists: [[String?]] =
            known + [[], [nil], ["inApp", nil], ["inApp", "inApp"], ["inapp"], [""], [" inApp"], ["inApp "], ["all"], ["inApp", "fax"]]
            + [known.flatMap { $0 }]
        return lists.map { list in
            DoorCase(
                form: .channels, json: .array(list.map { $0.map { .string($0) } ?? .null }), sql: "\(list)::text[]",
                name: "channels \(list)")
        }
    }()

    private static let data: [DoorCase] = {
        func nested(_ depth: Int, _ open: String, _ close: String) -> String {
            #"{"a":"# + String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth) + "}"
        }
        let deep = (58...64).flatMap { [nested($0, "[", "]"), nested($0, #"{"b":"#, "}")] }
        let numbers = [999, 1_000, 1_001].map { #"{"a":"# + String(repeating: "7", count: $0) + "}" }
        let texts =
            deep + numbers + [#"{"a":"\#(String(repeating: "7", count: 2_000))"}"#]
            + ["{}", "[]", "null", "true", "1", "\"x\"", #"{"a":null}"#, #"{"":1}"#, #"{"a":[]}"#, #"{"a":1.50}"#, #"{"a":-0}"#]
        return texts.compactMap { text in
            var limits = JSONLimits()
            (limits.maximumDepth, limits.maximumNumberLength) = (256, 4_000)
            guard let json = try? JSON.parse(Array(text.utf8), limits: limits) else { return nil }
            return DoorCase(form: .data, json: json, sql: "\(text)::jsonb", name: "data \(text.prefix(40))… of \(text.utf8.count) bytes")
        }
    }()

    private static func times(now: Int64) -> [DoorCase] {
        let (hour, day): (Int64, Int64) = (3_600, 86_400)
        let offsets = [-400 * day, -25 * hour, -23 * hour, -hour, hour, day, 729 * day, 731 * day, 4_000 * day]
        return offsets.map { offset in
            let time = Timestamp(microseconds: (now + offset) * 1_000_000)
            return DoorCase(
                form: .time, json: .string(time.rfc3339), sql: "\(time.rfc3339)::timestamptz", name: "time \(offset) s from now")
        } + strangeTimes
    }

    /// Times of PostgreSQL that RFC 3339 cannot write. A year before Christ must not be read as the same year after.
    private static let strangeTimes = [
        ("-0043-03-15T12:00:00Z", "0044-03-15 12:00:00+00 BC"), ("infinity", "infinity"), ("-infinity", "-infinity"),
    ]
    .map { written, stored in
        DoorCase(form: .time, json: .string(written), sql: "\(stored)::timestamptz", name: "time \(stored)")
    }
}
