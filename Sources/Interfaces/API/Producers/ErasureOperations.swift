import HTTPTypes
import Logging
import TidingsHTTPServer
import TidingsJSON
import TidingsStore
import TidingsWeb

/// The erasure of people, for a backend that may erase. It says nothing of a person but the tenant.
struct ErasureOperations: Sendable {
    let services: APIServices

    var all: [Operation] {
        let path = "/v1/recipients/{recipient}"
        let query = ["tenant"]
        return [
            Operation(.delete, path, "eraseRecipient", .key(.recipientsErase), query: query) { try await erase($0) },
            Operation(.post, path + "/readmission", "readmitRecipient", .key(.recipientsErase), query: query) { try await readmit($0) },
            Operation(.get, "/v1/erasures/{id}", "getErasure", .key(.recipientsErase)) { try await show($0) },
        ]
    }

    /// The members of an answer about an erasure, which are columns of `tidings_ops.erasures`.
    static let members = [
        "erasure_id", "tenant", "state", "step", "waits_for", "requested_at", "requested_by", "finished_at", "counts", "readmitted_at",
        "readmitted_by",
    ]

    /// Answers as soon as the tombstone is set. A releaser does the work. Asking again while it runs gives the same erasure.
    private func erase(_ call: APICall) async throws -> ServerResponse {
        let (person, key) = (try RecipientOperations.person(call), try call.key)
        let id = try await services.store.erasures.request(of: person, by: key.producer)
        services.logger.notice("an erasure was asked for", metadata: ["erasure": "\(id)", "key": "\(key.id)", "request": "\(call.id)"])
        guard let erasure = try await services.store.erasures.row(id, tenant: person.tenant) else { throw Problem(.internal) }
        return .json(.accepted, try erasure.columns(Self.members))
    }

    private func show(_ call: APICall) async throws -> ServerResponse {
        let (id, key) = (try call.notificationID(), try call.key)
        guard let erasure = try await services.store.erasures.row(id, tenant: key.tenant) else { throw Problem(.notFound) }
        return .json(.ok, try erasure.columns(Self.members))
    }

    /// Readmitting twice is harmless.
    private func readmit(_ call: APICall) async throws -> ServerResponse {
        let (person, key) = (try RecipientOperations.person(call), try call.key)
        switch try await services.store.erasures.readmit(person, by: key.producer) {
        case .readmitted, .notErased: return .noContent
        case .running: throw Problem(.recipientErased, "The erasure of the person is not done. Ask again when it is.")
        }
    }
}
