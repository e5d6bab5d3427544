import HTTPTypes
import TidingsCatalogue
import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsStore
import TidingsWeb

/// The preferences of the person who asks.
struct PreferenceOperations: Sendable {
    let services: APIServices

    var all: [Operation] {
        [
            Operation(.get, "/api/preferences", "getPreferences", .person) { try await show(of: $0.person) },
            Operation(.put, "/api/preferences", "putPreferences", .person, hasBody: true) { try await replace($0) },
        ]
    }

    private func show(of person: RecipientKey) async throws -> ServerResponse {
        let stored = try await services.store.recipients.preferences(of: person)
        let types = services.catalogues.current.catalogue.types
        return .json { PreferencesJSON.write(stored, types: types, to: &$0) }
    }

    private func replace(_ call: APICall) async throws -> ServerResponse {
        let person = try call.person
        try await PreferencesJSON.apply(try await call.object(), to: person, services)
        return try await show(of: person)
    }
}
