import HTTPTypes
import Logging
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsWeb

/// People, as a backend sees and changes them.
struct RecipientOperations: Sendable {
    /// The memory of an export that its client has not taken: its first page, which is kept to the end, and the page that is written.
    static let exportBytes = 2 * Int(PersonalExport.bytes)

    let services: APIServices

    private static let path = "/v1/recipients/{recipient}"
    private static let query = ["tenant"]

    var all: [Operation] { ofPerson + lists }

    private var ofPerson: [Operation] {
        let (path, query) = (Self.path, Self.query)
        return [
            Operation(.get, path, "getRecipient", .key(.recipientsRead), query: query) { try await show($0) },
            Operation(.get, path + "/export", "exportRecipient", .key(.recipientsExport), query: query) { try await export($0) },
            Operation(.get, path + "/preferences", "getRecipientPreferences", .key(.recipientsRead), query: query) { call in
                try await preferences(of: try Self.person(call))
            },
            Operation(.put, path + "/preferences", "putRecipientPreferences", .key(.recipientsWrite), query: query, hasBody: true) { call in
                try await changePreferences(call)
            },
            Operation(.post, path + "/devices", "registerRecipientDevice", .key(.recipientsWrite), query: query, hasBody: true) { call in
                try await DeviceBody.register(try await DeviceBody.object(of: call), of: try Self.person(call), services)
            },
            Operation(.delete, path + "/devices/{id}", "unregisterRecipientDevice", .key(.recipientsWrite), query: query) { call in
                try await unregister(call)
            },
        ]
    }

    private var lists: [Operation] {
        PersonList.all.map { list in
            Operation(.get, "\(Self.path)/\(list.name)", list.operation, .key(.recipientsRead), query: Self.query) { call in
                try await show(list, call)
            }
        }
    }

    /// The person of the path, in the tenant of the key. A key for every tenant names one in the query, else it means the default tenant.
    static func person(_ call: APICall) throws -> RecipientKey {
        let (id, key) = (call.parameter("recipient"), try call.key)
        if let fault = RecipientForm.fault(in: id) { throw Problem.invalid(.parameter("recipient", "\(fault)")) }
        // A tenant that is given twice is nobody's.
        try call.query.finish()
        let tenant = call.query.text("tenant") ?? key.tenant ?? Intent.defaultTenant
        guard CatalogueNames.isTenant(tenant) else {
            throw Problem.invalid(.parameter("tenant", "must be \(CatalogueNames.nameRule)"))
        }
        guard key.allows(tenant: tenant) else { throw Problem(.forbidden, "The key is for another tenant.") }
        return RecipientKey(tenant: tenant, id: id)
    }

    private func show(_ call: APICall) async throws -> ServerResponse {
        let (person, key) = (try Self.person(call), try call.key)
        let settings = try await services.store.recipients.settings(of: person, showingAddresses: key.allows(.recipientsAddresses))
        guard let settings else { throw Problem(.notFound) }
        return .json(.ok, settings)
    }

    /// The person's data as one document. It is streamed, so a client must read it to its end: a document that breaks off is not whole.
    private func export(_ call: APICall) async throws -> ServerResponse {
        var export = PersonalExport(of: try Self.person(call), from: services.store, projections: services.projections)
        // Taken before a row is read: an export without room costs the database nothing, and its refusal is a problem document.
        try call.place?.reserve(answerBytes: Self.exportBytes)
        // Read some rows before the answer begins: if the database is away, the answer is a problem document.
        var beginning: [UInt8] = []
        for _ in 0..<2 { beginning += try await export.next() ?? [] }
        let (first, others, logger, request) = (beginning, export, services.logger, call.id)
        var response = ServerResponse(
            .ok, headers: [.contentType: "application/json", .accelBuffering: "no"],
            body: .stream { stream in
                var others = others
                try await stream.write(first)
                do {
                    while let bytes = try await others.next() { try await stream.write(bytes) }
                } catch let error as PostgresError {
                    logger.error("an export broke off", metadata: ["request": "\(request)", "error": "\(error)"])
                    throw error
                }
            })
        // A page is in memory until the client has taken it, so an export is in work to its end.
        response.retained = call.place
        return response
    }

    // MARK: Preferences

    private func preferences(of person: RecipientKey) async throws -> ServerResponse {
        let stored = try await services.store.recipients.preferences(of: person)
        let types = services.catalogues.current.catalogue.types
        return .json { PreferencesJSON.write(stored, types: types, withOrigins: true, to: &$0) }
    }

    private func changePreferences(_ call: APICall) async throws -> ServerResponse {
        let person = try Self.person(call)
        try await PreferencesJSON.apply(try await call.object(), to: person, services)
        return try await preferences(of: person)
    }

    // MARK: Lists and devices

    private func show(_ list: PersonList, _ call: APICall) async throws -> ServerResponse {
        let (person, key) = (try Self.person(call), try call.key)
        let elements = try await services.store.recipients.list(list, of: person, showingAddresses: key.allows(.recipientsAddresses))
        return .json(.ok, [list.name: .array(elements)])
    }

    /// Unregistering twice is harmless.
    private func unregister(_ call: APICall) async throws -> ServerResponse {
        try await DeviceOperations.unregister(call.parameter("id"), of: try Self.person(call), services)
    }
}
