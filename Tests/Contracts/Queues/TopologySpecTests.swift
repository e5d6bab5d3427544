import Testing
import TidingsContracts
import TidingsCore

@Suite struct TopologySpecTests {
    private let spec = TopologySpec.spec(for: .builtIn)

    @Test func everyCategoryReachesExactlyOneIntakeQueue() {
        for category in Category.allCases {
            let targets = spec.bindings.filter { $0.exchange == QueueNames.intentsExchange && $0.routingKey == "\(category.rawValue).#" }
            #expect(targets.count == 1, "\(category)")
        }
        #expect(spec.bindings.contains(BindingSpec(exchange: "tidings.intents", queue: "tidings.intents.urgent", routingKey: "system.#")))
        #expect(spec.bindings.contains(BindingSpec(exchange: "tidings.intents", queue: "tidings.intents.bulk", routingKey: "social.#")))
    }

    @Test func everyCategoryReachesTheOverflowQueueOfItsLane() {
        for category in Category.allCases {
            let key = QueueNames.routingKey(category: category, type: "#", isOverflow: true)
            let targets = spec.bindings.filter { $0.exchange == QueueNames.intentsExchange && $0.routingKey == key }
            #expect(targets.map(\.queue) == [QueueNames.overflow(QueueNames.intakeLane(of: category))], "\(category)")
        }
        let binding = BindingSpec(
            exchange: "tidings.intents", queue: "tidings.intents.urgent.overflow", routingKey: "overflow.transactional.#")
        #expect(spec.bindings.contains(binding))
    }

    @Test func everyProviderHasAQueueForEachLaneBoundByItsOwnName() {
        for provider in Catalogue.builtIn.providers.values {
            for lane in Lane.allCases {
                let name = QueueNames.deliver(channel: provider.channel, provider: provider.name, lane: lane)
                #expect(spec.queues.contains { $0.name == name })
                #expect(spec.bindings.contains(BindingSpec(exchange: "tidings.deliver", queue: name, routingKey: name)))
            }
        }
        #expect(spec.queues.contains { $0.name == "tidings.deliver.inApp.inbox.urgent" })
    }

    @Test func workQueuesMeetEveryConditionOfDeadLetteringAtLeastOnce() {
        let records = [QueueNames.rejectedQueue, QueueNames.suspectQueue]
        for queue in spec.queues { #expect(queue.arguments["x-queue-type"] == .string("quorum"), "\(queue.name)") }
        for queue in spec.workQueues {
            if records.contains(queue.name) {
                #expect(queue.arguments.count == 1, "\(queue.name) must neither be bounded nor lead anywhere")
            } else {
                #expect(queue.arguments["x-dead-letter-strategy"] == .string("at-least-once"))
                #expect(queue.arguments["x-overflow"] == .string("reject-publish"))
                #expect(queue.arguments["x-dead-letter-exchange"] == .string("tidings.suspect"))
                #expect(queue.arguments["x-delivery-limit"] == .int(20))
            }
        }
    }

    /// All queues of an installation are declared by one process, and so over a connection to one node.
    @Test func leadersSpreadOverTheNodes() {
        #expect(spec.queues.allSatisfy { $0.placement == ["x-queue-leader-locator": .string("balanced")] })
        #expect(!spec.queues.contains { $0.arguments.keys.contains("x-queue-leader-locator") }, "RabbitMQ would compare it")
    }

    /// No process consumes these queues, so their consumers are not missed.
    @Test func theQueuesOfDoctorAndOfTimelinesAreNotConsumed() {
        #expect(spec.bindings.contains(BindingSpec(exchange: "tidings.deliver", queue: "tidings.doctor", routingKey: "tidings.doctor")))
        let others = Set(spec.queues.map(\.name)).subtracting(spec.workQueues.map(\.name))
        #expect(others == ["tidings.doctor", "tidings.timelines"])
    }

    @Test func bindingsNameOnlyWhatIsDeclaredAndNamesAreUnique() {
        let exchanges = Set(spec.exchanges.map(\.name))
        let queues = Set(spec.queues.map(\.name))
        #expect(exchanges.count == spec.exchanges.count)
        #expect(queues.count == spec.queues.count)
        for binding in spec.bindings {
            #expect(exchanges.contains(binding.exchange) && queues.contains(binding.queue), "\(binding)")
        }
        let work = Set(spec.workQueues.map(\.name))
        #expect(work.subtracting(spec.bindings.map(\.queue)).isEmpty, "a queue without a binding never gets anything")
    }

    @Test func anIntentThatMatchesNoQueueEndsInTheRejectedQueue() {
        let intents = spec.exchanges.first { $0.name == QueueNames.intentsExchange }
        #expect(intents?.kind == .topic)
        #expect(spec.exchanges.last == intents, "declared last: what it leads to is there before the first intent")
        #expect(QueueNames.category(ofRoutingKey: "social.social") == .social)
        #expect(QueueNames.category(ofRoutingKey: "socially.social") == nil)
        #expect(QueueNames.category(ofRoutingKey: "overflow.social.social") == .social)
        for key in ["overflow", "overflow.", "overflow.overflow.social"] { #expect(QueueNames.category(ofRoutingKey: key) == nil) }
        #expect(intents?.arguments["alternate-exchange"] == .string(QueueNames.alternateExchange))
        #expect(spec.bindings.contains(BindingSpec(exchange: "tidings.unroutable", queue: "tidings.rejected", routingKey: "")))
    }

    /// A queue of signals belongs to the process that follows them, and ends with it.
    @Test func onlyTheExchangeOfSignalsIsNotDurable() {
        #expect(spec.exchanges.filter { !$0.durable } == [.realtime])
        #expect(ExchangeSpec.realtime.name == "tidings.realtime" && ExchangeSpec.realtime.kind == .fanout)
        #expect(!spec.bindings.contains { $0.exchange == QueueNames.realtimeExchange })
    }

    /// The bindings of its queue are notes of processes, and questions arrive there. So the queue holds one message, and no work.
    @Test func timelinesHaveAnExchangeAndABoundedQueue() {
        #expect(spec.exchanges.contains { $0.name == QueueNames.timelines && $0.kind == .direct && $0.durable })
        #expect(spec.queues.first { $0.name == QueueNames.timelines }?.arguments["x-max-length"] == .int(1))
        #expect(!spec.bindings.contains { $0.exchange == QueueNames.timelines })
    }

    @Test func aRoutingKeyIsCategoryAndType() {
        #expect(QueueNames.routingKey(category: .transactional, type: "orderUpdate") == "transactional.orderUpdate")
        let beside = QueueNames.routingKey(category: .transactional, type: "orderUpdate", isOverflow: true)
        #expect(beside == "overflow.transactional.orderUpdate")
        #expect(Category.allCases.allSatisfy { QueueNames.category(ofRoutingKey: QueueNames.bindingPattern(of: $0)) == $0 })
        #expect(QueueNames.intakeLane(of: .system) == .urgent)
        #expect(QueueNames.intakeLane(of: .marketing) == .bulk)
    }

    @Test func theSpecOfACatalogueIsTheSameEveryTime() {
        #expect(TopologySpec.spec(for: .builtIn) == spec)
    }
}
