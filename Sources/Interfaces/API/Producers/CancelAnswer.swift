import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsStore
import TidingsWeb

/// The result of a cancel for one delivery, or for a notification without deliveries.
enum CancelAnswer: String, CaseIterable, Sendable {
    case cancelled, inFlight, onDevice
    /// The delivery had ended before.
    case ended

    init(_ result: CancelResult?) {
        self =
            switch result {
            case .cancelled: .cancelled
            case .inFlight: .inFlight
            case .onDevice: .onDevice
            case nil: .ended
            }
    }
}

extension CancelAnswer {
    /// The answer to a cancel, with one result for each delivery of the notification.
    static func response(_ results: [Int: CancelResult], of deliveries: [NotificationRecord.Delivery]) -> ServerResponse {
        response { json in
            for delivery in deliveries {
                CancelAnswer(results[delivery.ordinal]).write(channel: delivery.channel, endpoint: delivery.endpoint, to: &json)
            }
        }
    }

    /// The answer for a notification as a whole, which has no deliveries.
    var response: ServerResponse { Self.response { write(channel: nil, endpoint: nil, to: &$0) } }

    private static func response(_ write: (inout JSONWriter) -> Void) -> ServerResponse {
        .json { json in
            json.beginObject()
            json.key("results")
            json.beginArray()
            write(&json)
            json.endArray()
            json.endObject()
        }
    }

    private func write(channel: String?, endpoint: String?, to json: inout JSONWriter) {
        json.beginObject()
        json.optional("channel", channel)
        json.optional("endpoint", endpoint)
        json.member("result", rawValue)
        json.endObject()
    }
}
