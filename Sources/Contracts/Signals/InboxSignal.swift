public import TidingsCore
import TidingsJSON

/// A message that tells for which people an inbox or a topic has just changed. It may be lost: a process that follows it also reads
/// everything from the database now and then.
///
/// The content type is ``contentType``. A signal has no content of a notification, so a reader asks the database for it.
public struct InboxSignal: Sendable, Equatable {
    /// The version of the form. A reader ignores every other version.
    public static let version = 1
    /// The AMQP content type of a message that holds one signal.
    public static let contentType = "application/vnd.tidings.signal+json"
    /// Most people of one signal. A batch with more people becomes several messages.
    public static let maximumPeople = 200
    /// Most ids in each of the two lists of a person. A person with more ids is named again.
    public static let maximumIDs = 50
    /// Most bytes of one encoded signal. 200 people with one notification each take about 25 KB.
    public static let maximumBytes = 256 * 1024
    /// The longest tenant and the longest recipient in bytes, as the intake accepts them.
    public static let maximumNameBytes = IntentLimits().maximumRecipientBytes

    /// The subject of a change: the inbox, or a topic of a module by its name. A reader ignores a topic that it does not know.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public static let inbox = Kind(known: "inbox")
        /// The longest name of a topic in bytes.
        public static let maximumBytes = 64

        private init(known name: String) { rawValue = name }

        /// Returns nil unless the name begins with a lower-case letter, and has only such letters, digits, `_` and `-`.
        public init?(rawValue: String) {
            let (letters, digits) = (UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"))
            let others = [UInt8(ascii: "_"), UInt8(ascii: "-")]
            guard let first = rawValue.utf8.first, letters.contains(first), rawValue.utf8.count <= Self.maximumBytes,
                rawValue.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) || others.contains($0) })
            else { return nil }
            self.init(known: rawValue)
        }
    }

    /// A change for one person. The lists may both be empty: then the counts have changed.
    public struct Person: Sendable, Hashable {
        public var tenant: String
        public var recipient: String
        public var kind: Kind
        /// The ids of notifications that are new to the person.
        public var new: [NotificationID]
        /// The ids of known notifications whose state has changed.
        public var changed: [NotificationID]

        public init(tenant: String, recipient: String, kind: Kind = .inbox, new: [NotificationID] = [], changed: [NotificationID] = []) {
            self.tenant = tenant
            self.recipient = recipient
            self.kind = kind
            self.new = new
            self.changed = changed
        }
    }

    public var people: [Person]

    public init(people: [Person]) { self.people = people }
}

extension InboxSignal {
    /// Returns the bodies of the messages that tell all of `people`: one for a usual batch. Each body keeps to the limits above.
    ///
    /// A person whose name is longer than ``maximumNameBytes`` or empty is left out, because every reader would refuse the message.
    public static func messages(for people: [Person]) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var writer = JSONWriter(capacity: people.count * typicalBytes)
        var count = 0
        for person in people where isName(person.tenant) && isName(person.recipient) {
            for part in person.parts {
                // The size is an upper bound, so no message grows beyond the limit.
                if count == maximumPeople || count > 0 && writer.bytes.count + part.sizeBound > maximumBytes {
                    messages.append(end(&writer))
                    count = 0
                }
                if count == 0 { begin(&writer) }
                part.write(to: &writer)
                count += 1
            }
        }
        if count > 0 { messages.append(end(&writer)) }
        return messages
    }

    /// The bytes reserved for a person with one notification.
    private static let typicalBytes = 128

    private static func begin(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("v", version)
        writer.key("people")
        writer.beginArray()
    }

    private static func end(_ writer: inout JSONWriter) -> [UInt8] {
        writer.endArray()
        writer.endObject()
        defer { writer = JSONWriter() }
        return writer.bytes
    }

    static func isName(_ text: String) -> Bool { (1...maximumNameBytes).contains(text.utf8.count) }
}

extension InboxSignal.Person {
    /// The person once for each ``InboxSignal/maximumIDs`` ids.
    fileprivate var parts: [InboxSignal.Person] {
        let limit = InboxSignal.maximumIDs
        if new.count <= limit, changed.count <= limit { return [self] }
        return stride(from: 0, to: max(new.count, changed.count), by: limit).map { start in
            InboxSignal.Person(
                tenant: tenant, recipient: recipient, kind: kind, new: Array(new.dropFirst(start).prefix(limit)),
                changed: Array(changed.dropFirst(start).prefix(limit)))
        }
    }

    /// No fewer bytes than the encoded person takes: a character of a name takes at most six, an id 39.
    fileprivate var sizeBound: Int {
        96 + kind.rawValue.utf8.count + 6 * (tenant.utf8.count + recipient.utf8.count) + 39 * (new.count + changed.count)
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("tenant", tenant)
        writer.member("recipient", recipient)
        for (name, ids) in [("new", new), ("changed", changed)] {
            writer.key(name)
            writer.beginArray()
            for id in ids { writer.string(id.description) }
            writer.endArray()
        }
        writer.member("kind", kind.rawValue)
        writer.endObject()
    }
}
