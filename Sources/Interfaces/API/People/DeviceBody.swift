import TidingsCatalogue
import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsServer
import TidingsStore
import TidingsTimeZones
import TidingsWeb

/// A device as an app describes it: `{token, platform?, provider?, environment?, permission?, market?, timeZone?, locale?, appVersion?}`.
///
/// The token and the members that decide where and how a push is sent are judged strictly. `timeZone`, `locale` and `appVersion` are
/// context, which comes from the settings of the phone: if one of them cannot be used, it is left out, and the answer names it in `ignored`.
enum DeviceBody {
    private static let members = [
        "token", "platform", "provider", "environment", "permission", "market", "timeZone", "locale", "appVersion",
    ]

    /// Reads the body of a request about a device. A text that cannot be stored has U+FFFD in its place: it must not refuse a registration
    /// if it is context.
    static func object(of call: APICall) async throws -> JSONObject { try await call.object(leniently: true) }

    /// Registers the device of a body, or confirms a known one.
    static func register(_ object: JSONObject, of person: RecipientKey, _ services: APIServices) async throws -> ServerResponse {
        var body = BodyReader(object, known: members)
        let written = body.requiredText("token", bytes: 1...DeviceToken.longestWritten)
        let settings = settings(&body, isRegistration: true, services)
        var token: DeviceToken?
        if !body.refuses("token", "platform", "provider") {
            do {
                token = try await services.deviceTokens.read(
                    written, settings, tenant: person.tenant, in: services.catalogues.current.catalogue)
            } catch let fault as DeviceToken.Fault {
                body.refuse("token", fault.description)
            }
        }
        try body.finish()
        guard let token else { throw Problem.invalid(.body("/token", "is missing")) }
        let id = try await services.store.recipients.register(token: token, of: person.id, tenant: person.tenant, settings).deviceID
        return .json { json in
            json.beginObject()
            writeReference(id, to: &json)
            // Client B reads the address from the member `body` of the answer.
            json.key("body")
            json.beginObject()
            writeReference(id, to: &json)
            json.endObject()
            write(body.ignored, as: "ignored", to: &json)
            write(body.notes, as: "notes", to: &json)
            json.endObject()
        }
    }

    /// Changes a known device. A member that is absent keeps its value. A change of nothing but context is refused for its faults.
    static func change(
        _ id: String, _ object: JSONObject, of person: RecipientKey, _ services: APIServices
    ) async throws -> ServerResponse {
        var body = BodyReader(object, known: members)
        // An empty token is no absent one: the app meant to say which device it is.
        let written = body.present("token").map { _ in body.requiredText("token", bytes: 1...DeviceToken.longestWritten) }
        let settings = settings(&body, isRegistration: false, services)
        var token: DeviceToken?
        if !body.refuses("token", "platform", "provider") {
            do {
                token = try await services.deviceTokens.read(
                    written, settings, of: id, tenant: person.tenant, owner: person.id, in: services.catalogues.current.catalogue)
            } catch let fault as DeviceToken.Fault {
                body.refuse(written == nil ? "provider" : "token", fault.description)
            }
        }
        try body.finish()
        guard try await services.store.recipients.change(device: id, tenant: person.tenant, owner: person.id, token: token, settings) else {
            throw Problem(.notFound)
        }
        return .json { json in
            json.beginObject()
            writeReference(id, to: &json)
            write(body.ignored, as: "ignored", to: &json)
            write(body.notes, as: "notes", to: &json)
            json.endObject()
        }
    }

    private static func settings(_ body: inout BodyReader, isRegistration: Bool, _ services: APIServices) -> DeviceSettings {
        var settings = DeviceSettings()
        settings.platform = body.word("platform")
        settings.environment = body.word("environment")
        settings.permission = body.word("permission")
        let bytes = 1...DeviceSettings.longestText
        settings.provider = body.text("provider", bytes: bytes)
        settings.market = body.text("market", bytes: bytes).map { .some($0) }
        let isStrict = !isRegistration && settings.isContextAlone && body.present("token") == nil
        settings.timeZone = body.context("timeZone", strictly: isStrict)
        settings.locale = body.context("locale", strictly: isStrict)
        settings.appVersion = body.context("appVersion", strictly: isStrict)
        var ignored: [DeviceFault] = []
        let catalogue = services.catalogues.current.catalogue
        let issuers = services.deviceTokens.issuers(in: catalogue)
        let refused = settings.settle(in: catalogue, issuers: issuers, strictly: isStrict, ignored: &ignored) {
            services.zones.storedName(of: $0)
        }
        for fault in refused {
            let (member, demand) = demand(of: fault)
            body.refuse(member, demand)
        }
        for fault in ignored {
            let (member, demand) = demand(of: fault)
            body.leaveOut(member, demand)
        }
        if refused.isEmpty, let provider = settings.provider, !issuers.contains(provider) {
            body.note("provider", "is neither a provider of the catalogue nor a kind: until it is, nothing is pushed to the device")
        }
        return settings
    }

    private static func demand(of fault: DeviceFault) -> (member: String, demand: String) {
        switch fault {
        case .provider: ("provider", "must be a name of a provider or kind")
        case .misspelledProvider(_, let nearest):
            ("provider", "is neither a provider of the catalogue nor a kind; did you mean \"\(nearest)\"?")
        case .market: ("market", "must be a market of the catalogue")
        case .timeZone: ("timeZone", "must be an IANA name, such as Europe/Paris")
        case .locale: ("locale", "must be a language tag, such as es-MX")
        case .longLocale: ("locale", "must have at most \(DeviceSettings.longestText) bytes")
        case .damagedAppVersion: ("appVersion", "must have no character that cannot be stored, such as U+0000")
        case .longAppVersion: ("appVersion", "must have at most \(DeviceSettings.longestText) bytes")
        }
    }

    // MARK: The answer

    private static func writeReference(_ device: String, to json: inout JSONWriter) {
        json.member("deviceId", device)
        // The name of the device's endpoint, in the member where client B looks for it.
        json.member("endpointArn", "urn:tidings:endpoint:\(device)")
    }

    /// Writes the members that were left out, or that have a note; nothing if there are none.
    private static func write(_ fields: [Problem.Field], as name: String, to json: inout JSONWriter) {
        guard !fields.isEmpty else { return }
        json.key(name)
        json.beginArray()
        for field in fields {
            json.beginObject()
            if let pointer = field.pointer { json.member("pointer", pointer) }
            json.member("detail", field.detail)
            json.endObject()
        }
        json.endArray()
    }
}
