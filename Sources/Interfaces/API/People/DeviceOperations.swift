import HTTPTypes
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsStore
import TidingsTimeZones
import TidingsWeb

/// The devices of the person who asks, and their plans of local notifications.
struct DeviceOperations: Sendable {
    let services: APIServices

    var all: [Operation] {
        [
            Operation(.post, "/api/devices", "registerDevice", .person, hasBody: true) { try await register($0) },
            Operation(.patch, "/api/devices/{id}", "updateDevice", .person, hasBody: true) { try await update($0) },
            Operation(.delete, "/api/devices/{id}", "unregisterDevice", .person) { call in
                try await Self.unregister(call.parameter("id"), of: try call.person, services)
            },
            Operation(.get, "/api/local-notifications", "syncLocalNotifications", .person, query: ["deviceId", "since"]) { call in
                try await sync(call)
            },
            Operation(.post, "/api/local-notifications/ack", "confirmLocalNotifications", .person, hasBody: true) { call in
                try await confirm(call)
            },
        ]
    }

    // MARK: Registration

    private func register(_ call: APICall) async throws -> ServerResponse {
        try await DeviceBody.register(try await DeviceBody.object(of: call), of: try call.person, services)
    }

    private func update(_ call: APICall) async throws -> ServerResponse {
        try await DeviceBody.change(call.parameter("id"), try await DeviceBody.object(of: call), of: try call.person, services)
    }

    /// Unregistering twice is harmless.
    static func unregister(_ id: String, of person: RecipientKey, _ services: APIServices) async throws -> ServerResponse {
        if try await !services.store.recipients.unregister(device: id, tenant: person.tenant, owner: person.id) {
            guard try await services.store.recipients.hasDevice(id, of: person) else { throw Problem(.notFound) }
        }
        return .noContent
    }

    // MARK: Local notifications

    private func sync(_ call: APICall) async throws -> ServerResponse {
        let person = try call.person
        var query = call.query
        let device = query.text("deviceId") ?? ""
        if device.isEmpty { query.refuse("deviceId", "is missing") }
        let since = query.integer("since", in: 0...Int.max)
        try query.finish()
        let plan = try await services.store.localPlans.sync(
            of: device, tenant: person.tenant, owner: person.id, since: since.map(Int64.init),
            catalogue: services.catalogues.current.catalogue, zones: services.zones)
        guard let plan else { throw Problem(.notFound) }
        return .json(.ok, plan.json)
    }

    private func confirm(_ call: APICall) async throws -> ServerResponse {
        let person = try call.person
        var body = BodyReader(try await call.object(), known: ["deviceId", "version"])
        let device = body.requiredText("deviceId")
        let version = body.integer("version", in: 0...Int.max)
        if body.present("version") == nil { body.refuse("version", "is missing") }
        try body.finish()
        let answer = try await services.store.localPlans.acknowledge(
            of: device, tenant: person.tenant, owner: person.id, version: Int64(version ?? 0))
        switch answer {
        case .confirmed: return .noContent
        case .noDevice: throw Problem(.notFound)
        case .unknownVersion(let latest):
            throw Problem.invalid(.body("/version", "was never told to this device. The latest is \(latest)."))
        }
    }
}
