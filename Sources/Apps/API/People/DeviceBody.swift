import TidingsCatalogue
import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsServer
import TidingsStore
import TidingsTimeZones

/// A device as an app describes it: `{token, platform?, provider?, environment?, permission?, market?, timeZone?, locale?, appVersion?}`.
enum DeviceBody {
    /// Registers the device of a body, or confirms a known one.
    static func register(_ object: JSONObject, of person: RecipientKey, _ services: APIServices) async throws -> ServerResponse {
        var body = BodyReader(object)
        let written = body.requiredText("token", bytes: 1...DeviceToken.longestWritten)
        let settings = settings(&body, services)
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
        let id = try await services.store.register(token: token, of: person.id, tenant: person.tenant, settings).deviceID
        return .json { json in
            json.beginObject()
            writeReference(id, to: &json)
            // Client B reads the address from the member `body` of the answer.
            json.key("body")
            json.beginObject()
            writeReference(id, to: &json)
            json.endObject()
            json.endObject()
        }
    }

    /// Changes a known device. A member that is absent keeps its value.
    static func change(
        _ id: String, _ object: JSONObject, of person: RecipientKey, _ services: APIServices
    ) async throws -> ServerResponse {
        var body = BodyReader(object)
        // An empty token is no absent one: the app meant to say which device it is.
        let written = body.present("token").map { _ in body.requiredText("token", bytes: 1...DeviceToken.longestWritten) }
        let settings = settings(&body, services)
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
        guard try await services.store.change(device: id, tenant: person.tenant, owner: person.id, token: token, settings) else {
            throw Problem(.notFound)
        }
        return .json { json in
            json.beginObject()
            writeReference(id, to: &json)
            json.endObject()
        }
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

    // MARK: The answer

    private static func writeReference(_ device: String, to json: inout JSONWriter) {
        json.member("deviceId", device)
        // The name of the device's endpoint, in the member where client B looks for it.
        json.member("endpointArn", "urn:tidings:endpoint:\(device)")
    }
}
