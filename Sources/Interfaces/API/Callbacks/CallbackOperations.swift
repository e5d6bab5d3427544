import HTTPTypes
import Logging
import TidingsCore
import TidingsEncodings
import TidingsHTTPServer
import TidingsMetrics
import TidingsProvider
import TidingsServer
import TidingsStore
import TidingsWeb

/// Reports of providers. The module of the provider checks who sent the request and reads it.
struct CallbackOperations: Sendable {
    let services: APIServices
    let readers: CallbackReaders
    let desk: CallbackDesk

    var all: [Operation] {
        // The reader checks the provider's own authentication, so the operation asks for no key and no token.
        [Operation(.post, "/v1/callbacks/{provider}", "receiveCallback", .open, hasBody: true) { try await receive($0) }]
    }

    private func receive(_ call: APICall) async throws -> ServerResponse {
        let provider = call.parameter("provider")
        switch await readers.reader(of: provider) {
        case .none: throw Problem(.notFound, "No provider of this name takes callbacks.")
        case .unusable:
            throw Problem.unavailable("The settings of the provider's callbacks cannot be read.", retryAfter: CallbackDesk.settingsPause)
        case .reader(let reader):
            let reports = try await reports(of: call, from: provider, reader)
            try await record(reports, from: provider)
            return .noContent
        }
    }

    /// Reads the request. Throws if the provider did not send it.
    private func reports(of call: APICall, from provider: String, _ reader: any CallbackReader) async throws -> [DeliveryReport] {
        guard let media = MediaType(call.request.header(.contentType)), Self.isRead(media, by: reader) else {
            throw Problem(.unsupportedMediaType, "Send \(reader.mediaTypes.joined(separator: " or ")).")
        }
        let proof = reader.proof(in: request(of: call, body: []))
        switch proof {
        case .refused(let reason): throw unproven(provider, reason)
        case .proven:
            try admit(call, of: provider)
        case .open: break
        }
        let body = try await call.body(upTo: CallbackRequest.maximumBodyBytes)
        switch reader.read(request(of: call, body: body)) {
        case .unauthenticated(let reason): throw unproven(provider, reason)
        case .malformed(let reason):
            desk.refused(provider, "malformed", reason)
            throw Problem(.malformed, "The body cannot be read: \(reason).")
        case .reports(let reports, let unreadable):
            if proof != .proven { try admit(call, of: provider) }
            if let first = unreadable.first { desk.unreadable(provider, unreadable.count, first) }
            return reports
        }
    }

    private func request(of call: APICall, body: [UInt8]) -> CallbackRequest {
        CallbackRequest(
            method: call.request.method.rawValue, target: call.request.head.path ?? "",
            headers: call.request.head.headerFields.map { ($0.name.canonicalName, $0.value) }, body: body,
            receivedAt: services.store.clock.now())
    }

    private func unproven(_ provider: String, _ reason: String) -> Problem {
        desk.refused(provider, "unauthenticated", reason)
        return Problem(
            .unauthenticated, "The request does not prove that the provider sent it.", headers: [.wwwAuthenticate: "Callback"])
    }

    /// Counts a request, and the bytes of its body, for the provider that has sent it. A stranger must not use up these shares, so a request
    /// counts when it is proven. From then on it takes no room of strangers, however long the database takes.
    private func admit(_ call: APICall, of provider: String) throws {
        try call.lease.belongs(to: .provider(provider))
        try desk.countRequest(of: provider, at: services.store.clock.now())
    }

    private static func isRead(_ media: MediaType, by reader: any CallbackReader) -> Bool {
        reader.mediaTypes.contains(media.essence) || media.isJSON && reader.mediaTypes.contains("application/json")
    }

    /// Records the reports, and keeps those whose message no delivery has: a worker may be writing the answer with its id. Throws
    /// "unavailable" if a delivery has not ended yet. The provider then sends all of them again, and each counts once.
    private func record(_ reports: [DeliveryReport], from provider: String) async throws {
        let store = services.store
        let results = try await store.reports.record(reports, from: provider)
        let unclaimed = zip(reports, results).filter { report, result in result == .unknown && report.namesMessage }.map(\.0)
        let areKept = !unclaimed.isEmpty && desk.mayKeep(unclaimed.count, of: provider, at: store.clock.now())
        if areKept { try await store.reports.keepEarly(unclaimed, from: provider) }
        for (report, result) in zip(reports, results) {
            let isKept = areKept && result == .unknown && report.namesMessage
            desk.count(provider, (isKept ? ReportResult.early : result).rawValue)
        }
        if results.contains(.early) {
            throw Problem.unavailable("A delivery has not ended yet. Send the same request again.", retryAfter: APILimits.earlyReportPause)
        }
    }
}

extension DeliveryReport {
    /// Whether the report finds its delivery only by the provider's id of the message.
    fileprivate var namesMessage: Bool {
        if case .message = reference { true } else { false }
    }
}
