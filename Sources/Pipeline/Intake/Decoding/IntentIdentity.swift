import TidingsContracts
import TidingsCore
import TidingsJSON
import TidingsStore

/// The content of an intent, before it is hashed. ``IntentKey`` has the hash that identifies an intent.
enum IntentIdentity {
    /// Returns the hash of the event's content, without its recipients and its tenant, which are part of the key. A member that names its
    /// default counts as absent, and so does an empty text. A time counts by its instant.
    static func contentHash(type: String, data: JSONObject) -> Digest128 {
        var content: [JSONObject.Entry] = []
        content.reserveCapacity(data.entries.count)
        for entry in data.entries where !entry.value.isNull && entry.key != "recipient" && entry.key != "recipients" {
            switch spelling(of: entry) {
            case .plain: content.append(entry)
            case .other(let text): content.append(JSONObject.Entry(key: entry.key, value: .string(text)))
            case .default: break
            }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1_024)
        IntentKey.append(type, to: &bytes)
        appendCanonical(content, to: &bytes)
        return Digest128(hashing: bytes)
    }

    private enum Spelling {
        case plain
        /// A time with another spelling. The value is its plain spelling.
        case other(String)
        /// The member has its default value, and means the same as its absence.
        case `default`
    }

    private static func spelling(of entry: JSONObject.Entry) -> Spelling {
        switch (entry.key, entry.value) {
        case ("tenant", _), ("critical", .bool(false)), (_, .string("")): return .default
        case ("data", .object(let object)) where object.isEmpty: return .default
        case ("scheduledFor", .string(let text)), ("expiresAt", .string(let text)):
            guard let plain = Timestamp(rfc3339: text)?.rfc3339, plain != text else { return .plain }
            return .other(plain)
        default: return .plain
        }
    }

    /// Appends one spelling for all equal values: members sorted by their bytes, integers in plain digits.
    private static func appendCanonical(_ json: JSON, to bytes: inout [UInt8]) {
        switch json {
        case .number(let number):
            let text = number.int64.map { String($0) } ?? number.exact.canonicalText
            bytes.append(contentsOf: text.utf8)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for element in elements {
                appendCanonical(element, to: &bytes)
                bytes.append(UInt8(ascii: ","))
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            appendCanonical(object.entries, to: &bytes)
        case .null, .bool, .string:
            json.serialize(into: &bytes)
        }
    }

    private static func appendCanonical(_ entries: [JSONObject.Entry], to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        for entry in entries.count < 2 ? entries : entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            JSONText.append(entry.key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            appendCanonical(entry.value, to: &bytes)
            bytes.append(UInt8(ascii: ","))
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
