import Testing
import TidingsJSON

@testable import TidingsStore

/// The answer to a producer who asks what happened to a notification.
@Suite struct ProducerRecordTests {
    private let record = NotificationRecord(
        notification: ["notification_id": "n", "state": "pending"],
        deliveries: [["channel": "push", "state": "held", "paused": "provider phone", "paused_by": "ada", "pause_reason": "contract"]],
        attempts: [["attempt": 1, "worker_id": "deliver-host1-4711-k2", "outcome": "accepted"]],
        decisions: [["channel": "push"]],
        timeline: [
            ["actor": "router", "verdict": "accepted", "detail": "x is resumed: as the producer wrote it"],
            ["actor": "deliver-host1-4711-k2", "verdict": "attempt 1", "detail": "accepted"],
            ["actor": "release", "verdict": "waiting", "detail": "until provider phone is resumed: contract"],
            ["actor": "release", "verdict": "waiting", "detail": "until the next release"],
        ],
        plans: [["device_id": "d"]])

    @Test func itNamesNoMachineAndNoOperator() {
        let shown = record.forProducer()
        let deliveries: [JSON] = [["channel": "push", "state": "held", "paused": "provider phone"]]
        let attempts: [JSON] = [["attempt": 1, "outcome": "accepted"]]
        let timeline: [JSON] = [
            ["actor": "router", "verdict": "accepted", "detail": "x is resumed: as the producer wrote it"],
            ["actor": "deliver", "verdict": "attempt 1", "detail": "accepted"],
            ["actor": "release", "verdict": "waiting", "detail": "until provider phone is resumed"],
            ["actor": "release", "verdict": "waiting", "detail": "until the next release"],
        ]
        #expect(shown.deliveries == deliveries)
        #expect(shown.attempts == attempts)
        #expect(shown.timeline == timeline)
    }

    /// Operators read everything.
    @Test func theRestStays() {
        let shown = record.forProducer()
        #expect(shown.notification == record.notification && shown.decisions == record.decisions && shown.plans == record.plans)
        #expect(record.json()["attempts"]?.arrayValue?.first?["worker_id"]?.stringValue == "deliver-host1-4711-k2")
    }
}
