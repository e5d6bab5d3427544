import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsStore
import TidingsTimeZones

/// A device as an app describes it: `{token, platform?, provider?, environment?, permission?, market?, timeZone?, locale?, appVersion?}`.
enum DeviceBody {
    /// Registers the device of a body, or confirms a known one.
    static func register(_ object: JSONObject, of person: RecipientKey, _ services: APIServices) async throws -> ServerResponse {
        var body = BodyReader(object)
        if !body.has("token") { body.refuse("token", "is missing") }
        let token = token(&body)
        let settings = settings(&body, services)
        try body.finish()
        guard let token else { throw Problem.invalid(.body("/token", "is missing")) }
        let id = try await services.store.register(token: token, of: person.id, tenant: person.tenant, settings).deviceID
        return .json { json in
            json.beginObject()
            json.member("deviceId", id)
            json.member("endpointArn", endpoint(id))
            // Client B reads the address from the member `body` of the answer.
            json.key("body")
            json.beginObject()
            json.member("deviceId", id)
            json.member("endpointArn", endpoint(id))
            json.endObject()
            json.endObject()
        }
    }

    /// The name of a device's endpoint, in the member where client B looks for it.
    static func endpoint(_ device: String) -> String { "urn:tidings:endpoint:\(device)" }

    /// Reads changes of a known device. A token that is nil stays.
    static func changes(_ object: JSONObject, _ services: APIServices) throws -> (DeviceToken?, DeviceSettings) {
        var body = BodyReader(object)
        let token = token(&body)
        let settings = settings(&body, services)
        try body.finish()
        return (token, settings)
    }

    private static func token(_ body: inout BodyReader) -> DeviceToken? {
        guard body.present("token") != nil else { return nil }
        guard let written = body.requiredText("token", bytes: 1...DeviceToken.longest).ifPresent else { return nil }
        guard let token = DeviceToken(written) else {
            body.refuse("token", "must be printable ASCII characters without spaces")
            return nil
        }
        return token
    }

    private static func settings(_ body: inout BodyReader, _ services: APIServices) -> DeviceSettings {
        let catalogue = services.catalogues.current.catalogue
        var settings = DeviceSettings()
        settings.platform = body.word("platform")
        settings.environment = body.word("environment")
        settings.permission = body.word("permission")
        let bytes = 1...DeviceSettings.longestText
        settings.provider = body.text("provider", bytes: bytes)
        settings.market = body.text("market", bytes: bytes).map { .some($0) }
        settings.timeZone = body.text("timeZone", bytes: bytes)
        settings.locale = body.text("locale", bytes: bytes)
        settings.appVersion = body.text("appVersion", bytes: bytes)
        for fault in settings.faults(in: catalogue, isKnownZone: { services.zones.isKnown($0) }) {
            let (member, demand) = demand(of: fault)
            body.refuse(member, demand)
        }
        return settings
    }

    private static func demand(of fault: DeviceFault) -> (member: String, demand: String) {
        switch fault {
        case .provider: ("provider", "must be a name of a provider or kind")
        case .market: ("market", "must be a market of the catalogue")
        case .timeZone: ("timeZone", "must be an IANA name, such as Europe/Paris")
        case .locale: ("locale", "must be a language tag, such as es-MX")
        case .longLocale: ("locale", "must have at most \(DeviceSettings.longestText) bytes")
        case .longAppVersion: ("appVersion", "must have at most \(DeviceSettings.longestText) bytes")
        }
    }
}
