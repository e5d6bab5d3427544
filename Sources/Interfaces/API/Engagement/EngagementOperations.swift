import HTTPTypes
import TidingsCatalogue
import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsMetrics
import TidingsStore
import TidingsWeb

/// Reports of an app: its device got a push, or its person did something with a notification.
struct EngagementOperations: Sendable {
    let services: APIServices
    let metrics: Metrics

    var all: [Operation] {
        [
            Operation(.post, "/api/notifications/{id}/receipt", "confirmNotificationReceipt", .person, hasBody: true) { call in
                try await confirm(call)
            },
            Operation(.post, "/api/events", "reportEvents", .person, hasBody: true) { try await report($0) },
        ]
    }

    private func confirm(_ call: APICall) async throws -> ServerResponse {
        let person = try call.person
        var body = BodyReader(try await call.object(), known: ["deviceId"])
        let device = body.requiredText("deviceId")
        try body.finish()
        let result = try await services.store.reports.confirmReceipt(of: try call.notificationID(), on: device, by: person)
        metrics.receipts(result.rawValue).add()
        switch result {
        case .applied, .kept, .repeated, .ignored: return .noContent
        case .unknown, .erased: throw Problem(.notFound)
        case .early:
            throw Problem.unavailable(
                "The delivery to the device has not ended yet. Send the same request again.", retryAfter: APILimits.earlyReportPause)
        }
    }

    private func report(_ call: APICall) async throws -> ServerResponse {
        let person = try call.person
        var body = EngagementBody(try await call.object())
        let events = try body.events()
        let market = services.catalogues.current.catalogue.defaultMarket
        switch try await services.store.engagement.record(events, of: person, defaultMarket: market) {
        case .stored(let areNew):
            for (event, isNew) in zip(events, areNew) { count(event, isNew ? "stored" : "repeated") }
        case .erased:
            // Answered as usual: an app that was not told of the erasure must not send the events again.
            for event in events { count(event, "erased") }
        case .dayIsFull(let end):
            for event in events { count(event, "refused") }
            let wait = Duration.microseconds(max(0, end.microseconds - services.store.clock.now().microseconds))
            throw Problem.rateLimited(
                "A person has at most \(Store.engagementPerDay) events a day. Nothing of this request is stored.", retryAfter: wait)
        }
        return .json(.accepted) { json in
            json.beginObject()
            json.member("accepted", events.count)
            json.endObject()
        }
    }

    private func count(_ event: EngagementEvent, _ result: String) { metrics.engagementEvents(event.kind.rawValue, result).add() }
}
