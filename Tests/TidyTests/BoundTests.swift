import Testing

/// Every bound of the data path is printed by `tidings config show`, read from its own constant.
@Suite struct BoundTests {
    private static let folders = [
        "TidingsRouter", "TidingsDelivery", "TidingsRelease", "TidingsStore", "TidingsServer/Roles", "TidingsServer/Settings",
        "TidingsWire/Events", "TidingsWire/Packs", "TidingsWire/Queues", "TidingsAMQP", "TidingsPostgres", "TidingsCore/Delivery",
        "TidingsCore/Pauses", "TidingsCore/Catalogue", "TidingsCore/Routing",
    ]

    /// Numbers that an operator has nothing of.
    private static let others = [
        "Relay.longestTypeInKey": "cuts a routing key, of which only the first word counts",
        "StoredIntent.columnCount": "counts columns",
        "OutboxWalk.share": "how a relay divides its time",
        "Store.outboxCountedTries": "of a count that is shown",
        "Migrator.deadline": "of a command that somebody watches",
        "Migrator.lockPatience": "of a command that somebody watches",
        "Migrator.pause": "of a command that somebody watches",
        "Migrator.turns": "of a command that somebody watches",
        "Store.listLimit": "the default of --limit",
        "Store.refusedLook": "of a command that somebody watches",
        "Store.auditSlice": "of a command that somebody watches",
        "Store.auditLimit": "of a text that is shown",
        "FactsQuery.secondsBehind": "the part of a zone's table that is read",
        "FactsQuery.secondsAhead": "the part of a zone's table that is read",
        "Topology.accessRefused": "a code of the protocol",
        "HealthServer.pause": "before listening again",
        "ContentMode.searchedBytes": "where a content type is guessed from",
        "EventProblem.longestShown": "of a text that is shown",
        "IntentChecks.shownViolations": "of a text that is shown",
        "Rejection.longestText": "of a text that is shown",
        "HiddenSecrets.shortestWord": "of a text that is shown",
        "HiddenSecrets.shortestBeginning": "of a text that is shown",
        "TraceParent.length": "of a format",
        "Pack.envelopeBytes": "an estimate of the encoded size",
        "ProviderWorker.stopCheck": "how often a wait looks",
        "Limit.disorder": "what callers in another order may differ by",
        "RatePlaces.freshness": "what an outage leaves of a line",
        "PackEntry.typicalBytes": "an estimate of the encoded size",
        "BrokerConnection.channel": "the protocol's number of the only channel",
        "BrokerConnection.framesBetweenReleases": "how the C library's memory is used",
        "BrokerConnection.methodBytes": "an estimate of the encoded size",
        "AMQPMessage.bytesPerHeaderValue": "an estimate of the memory",
        "Pack.bytesPerEntry": "an estimate of the memory",
        "Rests.smallest": "how a list is cleared",
        "BreakerLines.perMinute": "of lines in a log",
        "BreakerLines.minute": "of lines in a log",
        "FieldDecoder.mostForeignNames": "how the C library's memory is used",
        "ScratchPool.pageSize": "how the C library's memory is used",
        "SocketTuning.keepaliveProbes": "of the kernel",
        "SocketTuning.sendBufferBytes": "of the kernel",
        "StallGuard.tickMilliseconds": "how often a thread looks",
        "AMQPConsumer.eventsPerTurn": "how a thread divides its time",
        "AMQPConsumer.roomRetry": "how a thread divides its time",
        "AMQPPublisher.eventsPerTurn": "how a thread divides its time",
        "AMQPPublisher.roomRetry": "how a thread divides its time",
        "OwnUser.longest": "of the protocol",
        "OutgoingMessage.framing": "an estimate of the encoded size",
        "ArrayFormat.firstIndex": "of a format",
        "NotificationRows.columns": "of a table",
        "Bindings.countLimit": "of the protocol",
        "CopyBuffer.chunkSize": "of the protocol's messages",
        "PostgresConnection.heartbeatTimeout": "of a listener, which no role is",
        "PostgresConnection.notificationLimit": "of a listener, which no role is",
        "PostgresConnection.openingSlack": "the grain of a timer",
        "PostgresJSON.version": "of a format",
        "PostgresTimestamp.epochOffset": "of a format",
        "Limit.largest": "of a setting, told when it is refused",
        "Limit.unit": "the grain of a count",
        "CategoryPolicy.oneDay": "what the catalogue shows as expiry",
        "CategoryPolicy.threeDays": "what the catalogue shows as expiry",
        "Policy.standard": "printed by its parts, as Breaker.Policy.standard",
    ]

    @Test func everyBoundIsPrinted() throws {
        let printed = try Repository.text("Sources/TidingsServer/Settings/Bounds.swift")
        var found: Set<String> = []
        for folder in Self.folders {
            for file in try Repository.files(below: "Sources/\(folder)") {
                for constant in Constant.all(in: file) {
                    found.insert(constant.name)
                    guard Self.others[constant.name] == nil else { continue }
                    #expect(
                        printed.contains("\"\(constant.name)") || printed.contains("Bound.batch(\"\(constant.name)\", \(constant.name)"),
                        "\(file.place(constant.index)) \(constant.name) is neither in Bounds.swift nor named here as something else")
                }
            }
        }
        #expect(found.count > 60, "the constants are not recognised any more")
        for name in Self.others.keys where !found.contains(name) { Issue.record("\(name) is gone: take it off the list") }
    }

    /// The name is the constant's, and the number is read from it.
    @Test func noNumberIsWrittenTwice() throws {
        let lines = try Repository.files(below: "Sources/TidingsServer/Settings").first { $0.path.hasSuffix("/Bounds.swift") }?.code ?? []
        try #require(!lines.isEmpty)
        let short = [
            "IntentLimits.": "limits.", "JSONLimits.": "json.", "RetryPolicy.standard.": "retry.", "Breaker.Policy.standard.": "breaker.",
        ]
        let text = lines.map { $0.text.trimmingPrefix(while: \.isWhitespace) }.joined(separator: " ").replacing("( ", with: "(")
        var count = 0
        for entry in text.split(separator: "Bound").dropFirst() {
            guard let quoted = entry.split(separator: "\"").dropFirst().first, let call = entry.firstRange(of: "\"\(quoted)\", ") else {
                continue
            }
            count += 1
            let name = String(quoted)
            let prefix = short.keys.first { name.hasPrefix($0) }
            let expression = prefix.map { short[$0, default: ""] + name.dropFirst($0.count) } ?? name
            let rest = entry[call.upperBound...]
            let forms = ["\(expression),", ".seconds(\(expression)),", "Int(\(expression)),"]
            #expect(forms.contains { rest.hasPrefix($0) }, "\(name) is not read from \(expression): \(rest.prefix(60))")
        }
        #expect(count > 60, "the entries are not recognised any more")
    }
}

/// A constant that holds a number, a time or a policy made of them.
private struct Constant {
    let index: Int
    /// With the type it belongs to: `Router.prefetch`.
    let name: String

    static func all(in file: SourceFile) -> [Constant] {
        var owner = ""
        return file.code.compactMap { index, line in
            let words = line.split { $0 == " " || $0 == ":" || $0 == "<" || $0 == "~" || $0 == "{" }.map(String.init)
            if let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count, !line.contains(" static "),
                !line.contains("func ")
            {
                if words[..<kind].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") }) { owner = words[kind + 1] }
            }
            guard let position = words.firstIndex(of: "let"), position > 0, words[position - 1] == "static", position + 1 < words.count,
                let equals = line.firstRange(of: " = ")
            else { return nil }
            let value = line[equals.upperBound...]
            let isNumber = value.first?.isNumber == true || starts.contains { value.hasPrefix($0) }
            return isNumber ? Constant(index: index, name: "\(owner).\(words[position + 1])") : nil
        }
    }

    private static let kinds: Set = ["struct", "enum", "actor", "class", "extension"]
    private static let modifiers: Set = ["public", "package", "internal", "private", "fileprivate", "final", "indirect"]
    private static let starts = ["Duration.", ".seconds(", ".milliseconds(", "BatchPolicy(", "Policy(", "RetryPolicy("]
}
