import Testing
import TidingsCore
import TidingsTestSupport

@testable import TidingsCatalogue
@testable import TidingsContracts
@testable import TidingsJSON
@testable import TidingsPipeline

/// Checks that the published AsyncAPI document and the names in code agree.
@Suite struct AsyncAPITests {
    private let document: JSON

    init() throws {
        document = try YAMLDocument.json(SchemaFiles.text("asyncapi.yaml"))
    }

    private var channels: [JSONObject.Entry] { document["channels"]?.objectValue?.entries ?? [] }

    @Test func addressesAreTheNamesInCode() throws {
        #expect(document["asyncapi"]?.stringValue == "3.0.0")
        let addresses = Set(channels.compactMap { $0.value["address"]?.stringValue })
        let deliver = "tidings.deliver.{channel}.{provider}.{lane}"
        #expect(
            addresses == [
                QueueNames.intentsExchange, QueueNames.intents(.urgent), QueueNames.intents(.bulk), QueueNames.overflow(.urgent),
                QueueNames.overflow(.bulk), QueueNames.rejectedQueue,
                QueueNames.suspectQueue, QueueNames.doctorQueue, QueueNames.realtimeExchange, QueueNames.timelines, deliver,
            ])
        let filled = deliver.replacing("{channel}", with: "inApp").replacing("{provider}", with: "inbox").replacing("{lane}", with: "bulk")
        #expect(filled == QueueNames.deliver(channel: .inApp, provider: "inbox", lane: .bulk))
        let parameters = document["channels"]?["deliver"]?["parameters"]
        #expect(parameters?["channel"]?["enum"]?.arrayValue?.compactMap(\.stringValue) == Channel.allCases.map(\.rawValue))
        #expect(parameters?["lane"]?["enum"]?.arrayValue?.compactMap(\.stringValue) == Lane.allCases.map(\.rawValue))
    }

    @Test func everyQueueOfTheTopologyIsDescribed() {
        let addresses = channels.compactMap { $0.value["address"]?.stringValue }
        for queue in TopologySpec.intake.queues {
            #expect(addresses.contains(queue.name), "\(queue.name)")
        }
    }

    @Test func bindingsNameWhatIsDeclared() {
        let spec = TopologySpec.intake
        for channel in channels {
            let binding = channel.value["bindings"]?["amqp"]
            if let queue = binding?["queue"]?["name"]?.stringValue { #expect(spec.queues.contains { $0.name == queue }) }
            if let exchange = binding?["exchange"] {
                #expect(
                    spec.exchanges.contains {
                        $0.name == exchange["name"]?.stringValue && $0.kind.rawValue == exchange["type"]?.stringValue
                            && JSON.bool($0.durable) == exchange["durable"]
                    })
            }
        }
    }

    @Test func everyReferenceLeadsSomewhere() throws {
        var references: [String] = []
        collect(document, into: &references)
        #expect(references.count > 20)
        for reference in references {
            let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let file = try parts[0].isEmpty ? document : SchemaFiles.json(String(parts[0].trimmingPrefix("./")))
            var target: JSON? = file
            for segment in (parts.count > 1 ? parts[1] : "").split(separator: "/") { target = target?[String(segment)] }
            #expect(target != nil, "\(reference)")
        }
    }

    @Test func contentTypesAreTheOnesInCode() {
        let messages = document["components"]?["messages"]
        #expect(messages?["pack"]?["contentType"]?.stringValue == Pack.contentType)
        #expect(messages?["signal"]?["contentType"]?.stringValue == InboxSignal.contentType)
        #expect(messages?["intent"]?["contentType"]?.stringValue == ContentMode.structuredType)
        #expect(messages?["intentBatch"]?["contentType"]?.stringValue == ContentMode.batchType)
    }

    private func collect(_ json: JSON, into references: inout [String]) {
        if let reference = json["$ref"]?.stringValue { references.append(reference) }
        for entry in json.objectValue?.entries ?? [] { collect(entry.value, into: &references) }
        for element in json.arrayValue ?? [] { collect(element, into: &references) }
    }
}
