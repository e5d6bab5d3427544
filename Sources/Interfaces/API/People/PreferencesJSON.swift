import TidingsCatalogue
import TidingsCore
import TidingsJSON
import TidingsStore
import TidingsTimeZones
import TidingsWeb

/// Preferences as an app reads and writes them.
///
/// `{pushEnabled, localEnabled, inAppEnabled, quietHoursStart, quietHoursEnd, enabledCategories, timeZone, types}`. Everything is on until
/// the person switches it off. One of the two times alone means no quiet hours.
enum PreferencesJSON {
    /// The channels that have a switch of their own.
    private static let switches: [(name: String, channel: Channel)] = [
        ("pushEnabled", .push), ("localEnabled", .local), ("inAppEnabled", .inApp),
    ]

    /// The members of a change. `origins` is ignored: a backend reads the preferences with it, and may write them back as they are.
    private static let members =
        switches.map { $0.name } + ["quietHoursStart", "quietHoursEnd", "enabledCategories", "timeZone", "types", "origins"]

    /// - Parameter withOrigins: adds where each value comes from.
    static func write(
        _ stored: StoredPreferences, types: [String: NotificationType], withOrigins: Bool = false, to json: inout JSONWriter
    ) {
        json.beginObject()
        for (name, channel) in switches { json.member(name, !stored.disabledChannels.contains(channel)) }
        json.optional("quietHoursStart", stored.quietHours?.startText)
        json.optional("quietHoursEnd", stored.quietHours?.endText)
        json.key("enabledCategories")
        json.beginArray()
        for category in Category.allCases where !stored.disabledCategories.contains(category) { json.string(category.rawValue) }
        json.endArray()
        json.member("timeZone", stored.timeZone)
        json.key("types")
        json.beginObject()
        for (name, type) in types.sorted(by: { $0.key < $1.key }) {
            json.member(name, type.mandatory || !stored.disabledTypes.contains(name))
        }
        json.endObject()
        if withOrigins { writeOrigins(stored, types, to: &json) }
        json.endObject()
    }

    /// `person` for a value that the person chose, `catalogue` for a type that ignores the choice, `default` for any other value.
    private static func writeOrigins(_ stored: StoredPreferences, _ types: [String: NotificationType], to json: inout JSONWriter) {
        func write(_ name: String, isChosen: Bool) { json.member(name, isChosen ? "person" : "default") }
        json.key("origins")
        json.beginObject()
        for (name, channel) in switches { write(name, isChosen: stored.disabledChannels.contains(channel)) }
        write("quietHoursStart", isChosen: stored.quietHours != nil)
        write("quietHoursEnd", isChosen: stored.quietHours != nil)
        write("enabledCategories", isChosen: !stored.disabledCategories.isEmpty)
        write("timeZone", isChosen: stored.timeZone != "UTC")
        for (name, type) in types.sorted(by: { $0.key < $1.key }) {
            if type.mandatory {
                json.member("types.\(name)", "catalogue")
            } else {
                write("types.\(name)", isChosen: stored.disabledTypes.contains(name) || stored.enabledTypes.contains(name))
            }
        }
        json.endObject()
    }

    /// Applies a body to a person's preferences.
    static func apply(_ object: JSONObject, to person: RecipientKey, _ services: APIServices) async throws {
        let changes = try changes(object, catalogue: services.catalogues.current.catalogue, zones: services.zones)
        try await services.store.recipients.change(person.id, tenant: person.tenant, changes)
    }

    /// The changes that make the stored preferences equal to the body. A member that the body leaves out keeps its value, except for the
    /// two times of the quiet hours, which belong together.
    private static func changes(_ object: JSONObject, catalogue: Catalogue, zones: TimeZoneDatabase) throws -> RecipientChanges {
        var body = BodyReader(object, known: members)
        var changes = RecipientChanges()
        for (name, channel) in switches {
            switch body.bool(name) {
            case true?: changes.enableChannels.append(channel)
            case false?: changes.disableChannels.append(channel)
            case nil: break
            }
        }
        readQuietHours(&body, into: &changes)
        readCategories(&body, into: &changes)
        if let written = body.text("timeZone", bytes: 1...64) {
            changes.timeZone = zones.storedName(of: written)
            if changes.timeZone == nil { body.refuse("timeZone", "must be an IANA name, such as Europe/Paris") }
        }
        readTypes(&body, catalogue, into: &changes)
        try body.finish()
        return changes
    }

    private static func readQuietHours(_ body: inout BodyReader, into changes: inout RecipientChanges) {
        guard body.has("quietHoursStart") || body.has("quietHoursEnd") else { return }
        let start = body.text("quietHoursStart", bytes: 1...16)
        let end = body.text("quietHoursEnd", bytes: 1...16)
        do {
            changes.quietHours = .some(try QuietHours.parse(start: start, end: end))
        } catch {
            body.refuse(error.field.rawValue, "must be a time of day as HH:MM, from 00:00 to 23:59")
        }
    }

    private static func readCategories(_ body: inout BodyReader, into changes: inout RecipientChanges) {
        guard let value = body.present("enabledCategories") else { return }
        guard let names = value.arrayValue?.map(\.stringValue), !names.contains(nil) else {
            return body.refuse("enabledCategories", "must be an array of categories")
        }
        var enabled: Set<Category> = []
        for name in names.compactMap(\.self) {
            guard let category = Category(rawValue: name) else {
                let known = Category.allCases.map(\.rawValue).joined(separator: ", ")
                return body.refuse("enabledCategories", "has \(quoted(name)), and the categories are \(known)")
            }
            enabled.insert(category)
        }
        for category in Category.allCases {
            if enabled.contains(category) { changes.enableCategories.append(category) } else { changes.disableCategories.append(category) }
        }
    }

    private static func readTypes(_ body: inout BodyReader, _ catalogue: Catalogue, into changes: inout RecipientChanges) {
        guard let value = body.present("types") else { return }
        guard let types = value.objectValue else { return body.refuse("types", "must be an object of types") }
        let names = catalogue.types.keys
        for entry in types.entries {
            guard let isOn = entry.value.boolValue else { return body.refuse("types", "must have true or false for \(quoted(entry.key))") }
            // A dictionary also finds a name that is only equivalent.
            guard let type = catalogue.types[entry.key], isSameText(type.name, entry.key) else {
                body.refuse(entry.key, in: "/types", "is no type of the catalogue" + NearestName.hint(for: entry.key, among: names))
                continue
            }
            if isOn { changes.enableTypes.append(entry.key) } else { changes.disableTypes.append(entry.key) }
        }
    }

    private static func quoted(_ text: String) -> String { "\"\(text.prefix(100))\"" }
}
