import Testing

/// Work belongs to somebody who waits for it. A task of its own is the exception, and each file that starts one says here why.
@Suite struct TaskTests {
    private static let reasons = [
        "Sources/TidingsAMQP/Consumer/AMQPConsumer.swift": "a cancellation handler cannot await the actor",
        "Sources/TidingsAMQP/Publisher/AMQPPublisher.swift": "a cancellation handler cannot await the actor",
        "Sources/TidingsPostgres/PostgresConnection.swift": "the deadline must fire while the connection is still being opened",
        "Sources/TidingsPostgres/PostgresPool.swift": "timers of waiting callers; connections opened for whoever comes next",
        "Sources/TidingsRouter/PublishBacklog.swift": "packs outlive the batch that made them; drain() awaits them",
        "Sources/TidingsDelivery/Outstanding.swift": "sends outlive the patience of their batch; drain() awaits them",
        "Sources/TidingsDelivery/SendGate.swift": "the timer of whoever waits for room",
        "Sources/TidingsDelivery/Settler.swift": "one commit for many callers, each of whom awaits it",
        "Sources/TidingsRelease/Relay.swift": "a relay that stops still deletes what the broker confirmed, and awaits that",
        "Sources/TidingsStore/Outbox/ConfirmNotes.swift": "one note for many publishers; write() awaits it",
        "Sources/TidingsServer/Commands/DoctorCommand.swift": "a store is closed after the answer is printed",
        "Sources/TidingsServer/Roles/RolesService.swift": "chores end with the roles; a shutdown handler cannot await",
        "Sources/TidingsServer/Roles/StopDeadline.swift": "it must outlast the cancellation of all roles",
        "Sources/tidings/Main.swift": "the command ends the process; the main thread waits for that",
        "Sources/TidingsTestSupport/TestSystem.swift": "the first of many tests makes what all await",
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
