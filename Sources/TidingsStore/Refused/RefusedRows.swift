import TidingsCore
import TidingsPostgres
import TidingsWire

/// Rows of `tidings.rejected`. The same bad event again raises the counter of its open row, so a looping producer fills no disk.
struct RefusedRows {
    private let events: [RefusedEvent]
    private let occurrences: [Int64]

    /// Folds events of one batch that are equal, because one statement may touch a row only once.
    init(_ events: [RefusedEvent]) {
        var position: [Digest128: Int] = [:]
        var distinct: [RefusedEvent] = []
        var counts: [Int64] = []
        for event in events {
            if let known = position[event.fingerprint] {
                counts[known] += 1
            } else {
                position[event.fingerprint] = distinct.count
                distinct.append(event)
                counts.append(1)
            }
        }
        self.events = distinct
        occurrences = counts
    }

    private func text(_ part: (Rejection) -> String?) -> [String?] { events.map { storable(part($0.rejection)) } }

    /// Nil when there is nothing to insert.
    var insert: SQL? {
        guard !events.isEmpty else { return nil }
        let refusals = events.map(\.rejection)
        return """
            insert into tidings.rejected as kept
                (fingerprint, at, last_at, occurrences, reason, pointer, message, tenant, source, event_id, type, exchange, routing_key, content_type,
                 headers, raw, size, sha256, replayable)
            select fingerprint, tidings.clock(), tidings.clock(), occurrences, reason, pointer, message, tenant, source, event_id, type, exchange,
                routing_key, content_type, headers, raw, size, sha256, replayable
            from unnest(\(events.map(\.fingerprint.uuid)), \(occurrences), \(refusals.map(\.reason.rawValue)), \(text(\.pointer)), \(text(\.message)),
                \(text(\.tenant)), \(text(\.source)), \(text(\.eventID)), \(text(\.type)), \(events.map { storable($0.exchange) }),
                \(events.map { storable($0.routingKey) }), \(text(\.contentType)), \(events.map(\.headers)),
                \(refusals.map(\.raw)), \(refusals.map { Int32(clamping: $0.size) }), \(refusals.map(\.sha256)), \(refusals.map(\.isReplayable)))
                as given(fingerprint, occurrences, reason, pointer, message, tenant, source, event_id, type, exchange, routing_key, content_type,
                 headers, raw, size, sha256, replayable)
            order by fingerprint
            on conflict (fingerprint) do update set occurrences = kept.occurrences + excluded.occurrences, last_at = excluded.last_at,
                state = 'open'
            """
    }
}

extension RefusedEvent {
    /// The same event refused for the same reason at the same place.
    var fingerprint: Digest128 {
        Digest128(hashing: rejection.sha256 + Array((rejection.reason.rawValue + "\n" + rejection.pointer + "\n" + routingKey).utf8))
    }
}
