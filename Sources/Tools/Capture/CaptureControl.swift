import TidingsJSON

/// The control interface, below `/_capture/`:
///
/// | request | effect |
/// | --- | --- |
/// | `GET /_capture/stats` | returns the totals: ``CaptureStats`` |
/// | `GET /_capture/messages?id=…&path=…` | returns the last requests as an array, oldest first |
/// | `DELETE /_capture/messages` | deletes requests and counts; the record file stays |
/// | `PUT /_capture/behaviour` | sets the ``CaptureBehaviour`` of a path |
/// | `DELETE /_capture/behaviour` | deletes all behaviours |
/// | `PUT /_capture/secrets` | sets the secrets for requests at and below a path: `{"path": "/shop", "secrets": ["whsec_…"]}` |
struct CaptureControl: Sendable {
    static let prefix = "/_capture/"

    /// An answer: a status and JSON.
    struct Reply: Sendable {
        var status: Int
        var body: [UInt8]

        static let done = Reply(status: 200, body: Array("{}".utf8))

        static func problem(_ status: Int, _ message: String) -> Reply {
            var json = JSONWriter()
            json.beginObject()
            json.member("error", message)
            json.endObject()
            return Reply(status: status, body: json.bytes)
        }
    }

    let ledger: CaptureLedger

    func reply(method: String, path: String, query: [String: String], body: [UInt8]) -> Reply {
        switch (method, path.dropFirst(Self.prefix.count)) {
        case ("GET", "stats"): return Reply(status: 200, body: ledger.stats.json)
        case ("GET", "messages"): return messages(query)
        case ("DELETE", "messages"):
            ledger.clear()
            return .done
        case ("PUT", "behaviour"): return setBehaviour(body)
        case ("DELETE", "behaviour"):
            ledger.clearBehaviours()
            return .done
        case ("PUT", "secrets"): return setSecrets(body)
        case (_, "stats"), (_, "messages"), (_, "behaviour"), (_, "secrets"):
            return .problem(405, "\(method) is not for \(path)")
        default: return .problem(404, "there is no \(path); there are stats, messages, behaviour and secrets")
        }
    }

    private func messages(_ query: [String: String]) -> Reply {
        let found = ledger.requests { request in
            (query["id"] == nil || [request.webhookID, request.messageID].contains(query["id"]))
                && (query["path"] == nil || request.path == query["path"])
        }
        var json = JSONWriter(capacity: 4_096)
        json.beginArray()
        for request in found { json.raw(request.json) }
        json.endArray()
        return Reply(status: 200, body: json.bytes)
    }

    private func setBehaviour(_ body: [UInt8]) -> Reply {
        do {
            let behaviour = try CaptureBehaviour(json: try Self.parse(body))
            return ledger.program(behaviour) ? .done : .problem(507, "\(CaptureLimits.programmedPaths) paths have behaviours already")
        } catch {
            return .problem(400, error.message)
        }
    }

    private func setSecrets(_ body: [UInt8]) -> Reply {
        do throws(CaptureError) {
            let json = try Self.parse(body)
            for name in json.objectValue?.keys ?? [] where !["path", "secrets"].contains(name) {
                throw CaptureError(message: "secrets have no member \"\(name)\"; there are path and secrets")
            }
            let path = try CaptureBehaviour.path(json["path"] ?? .string("/"))
            guard let values = json["secrets"]?.arrayValue, values.allSatisfy({ $0.stringValue != nil }) else {
                throw CaptureError(message: "secrets must be an array of text")
            }
            let check = try SignatureCheck(secrets: values.compactMap(\.stringValue))
            let isSet = ledger.setSecrets(check, below: path)
            return isSet ? .done : .problem(507, "\(CaptureLimits.programmedPaths) paths have secrets already")
        } catch {
            return .problem(400, error.message)
        }
    }

    private static func parse(_ body: [UInt8]) throws(CaptureError) -> JSON {
        do {
            return try JSON.parse(body)
        } catch {
            throw CaptureError(message: "the body is not JSON: \(error)")
        }
    }
}
