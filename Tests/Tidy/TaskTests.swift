import Testing

/// Work belongs to somebody who waits for it. A task of its own is the exception, and each file that starts one says here why.
@Suite struct TaskTests {
    private static let reasons = [
        "Sources/Drivers/AMQP/Consumer/AMQPConsumer.swift": "a cancellation handler cannot await the actor",
        "Sources/Drivers/AMQP/Consumer/AMQPConsumer+Nodes.swift": "a turn cannot await a look from another node",
        "Sources/Drivers/AMQP/Publisher/AMQPPublisher.swift": "a cancellation handler cannot await the actor; timers of waiting callers",
        "Sources/Drivers/AMQP/Publisher/AMQPAnnouncer.swift": "an offer must not wait for the thread of the connection",
        "Sources/Drivers/Postgres/PostgresConnection.swift": "the deadline must fire while the connection is still being opened",
        "Sources/Drivers/Postgres/PostgresPool.swift": "timers of waiting callers; connections for whoever comes next; looks at the server",
        "Sources/Pipeline/Outbox/PublishBacklog.swift": "packs outlive the batch that made them; drain() awaits them",
        "Sources/Pipeline/Outbox/RefusedPacks.swift": "refused packs outlive the batch that made them; close() awaits them",
        "Sources/Pipeline/Delivery/Outstanding.swift": "sends outlive the patience of their batch; drain() awaits them",
        "Sources/Pipeline/Flow/SendGate.swift": "the timer of whoever waits for room",
        "Sources/Drivers/Waiting/BatchDesk.swift": "one batch for many requests, each of which awaits its answer",
        "Sources/Pipeline/Outbox/Relay.swift": "a relay that stops still deletes what the broker confirmed, and awaits that",
        "Sources/Pipeline/Outbox/ConfirmNotes.swift": "one note for many publishers; write() awaits it",
        "Sources/Drivers/HTTPServer/HTTPServer.swift": "a server must outlast the graceful shutdown of its process; run(while:) awaits it",
        "Sources/Interfaces/API/Access/KeyDesk.swift": "no request waits for the record of a use",
        "Sources/Interfaces/API/Access/TokenKeys.swift": "one look for many callers, each of whom awaits it",
        "Sources/Interfaces/Commands/Examination.swift": "a store is closed after the answer is printed",
        "Sources/Runtime/Roles/RolesService.swift": "chores end with the roles; a shutdown handler cannot await",
        "Sources/Runtime/Roles/StopDeadline.swift": "it must outlast the cancellation of all roles",
        "Sources/Main/Main.swift": "the command ends the process; the main thread waits for that",
        "Sources/Main/RuntimeDescriptors.swift": "the runtime starts its timers; the main thread waits for that",
        "Sources/TestSupport/Task+Cancellation.swift": "a wait for a task cannot be cancelled",
        "Sources/TestSupport/TestSystem.swift": "the first of many tests makes what all await",
    ]

    @Test func onlyTheseFilesStartTasks() throws {
        var found: Set<String> = []
        for file in try Repository.files(below: "Sources") {
            for (index, line) in file.code where Banned("Task {", "").isIn(line) || line.contains("Task.detached") {
                found.insert(file.path)
                #expect(Self.reasons[file.path] != nil, "\(file.place(index)) starts a task that nobody waits for")
            }
        }
        for path in Self.reasons.keys where !found.contains(path) {
            Issue.record("\(path) starts no task any more: take it off the list")
        }
    }
}
