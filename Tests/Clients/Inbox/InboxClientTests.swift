import Foundation
import Testing
import TidingsInbox

/// The requests of the client: method, path, parameters and body.
@Suite struct InboxClientTests {
    private static let item = #"{"notification":\#(Sample.item(1)),"unreadCount":1}"#
    private static let noTimer = #"{"expires_at":null,"is_active":false}"#

    private struct Call: Sendable, CustomTestStringConvertible {
        let line: String
        var body: String?
        let answer: String
        let make: @Sendable (InboxClient) async throws -> Void

        var testDescription: String { line }
    }

    private static let calls: [Call] = [
        Call(line: "GET /api/notifications?limit=5&offset=10", answer: Sample.page([], unread: 0)) {
            _ = try await $0.notifications(limit: 5, offset: 10)
        },
        Call(line: "GET /api/notifications?limit=20&cursor=a%2Fb%2B%3D", answer: Sample.page([], unread: 0)) {
            _ = try await $0.notifications(cursor: "a/b+=")
        },
        Call(line: "GET /api/notifications/n", answer: item) { _ = try await $0.notification("n") },
        Call(line: "GET /api/notifications/unread-count", answer: #"{"unreadCount":3}"#) {
            let answer = try await $0.unreadCount()
            #expect(answer == 3)
        },
        Call(line: "PATCH /api/notifications/n/unread", answer: item) { _ = try await $0.markUnread("n") },
        Call(line: "PATCH /api/notifications/n/seen", answer: item) { _ = try await $0.markSeen("n") },
        Call(line: "PATCH /api/notifications/n/dismissed", answer: item) { _ = try await $0.dismiss("n") },
        Call(line: "PATCH /api/notifications/read-all", answer: #"{"updated":2,"unreadCount":0}"#) {
            let answer = try await $0.markAllRead()
            #expect(answer == ReadAllAnswer(updated: 2, unreadCount: 0))
        },
        Call(line: "DELETE /api/notifications?before=n", answer: #"{"removed":2,"unreadCount":0}"#) {
            let answer = try await $0.clearAll(before: "n")
            #expect(answer.removed == 2)
        },
        Call(line: "POST /api/notifications/n/wake", answer: item) { _ = try await $0.wake("n") },
        Call(line: "GET /api/notifications?limit=20&cursor=&snoozed=true", answer: Sample.page([], unread: 0)) {
            _ = try await $0.snoozedNotifications()
        },
        Call(line: "POST /api/notifications/n/snooze", body: #"{"until":"2026-11-25T18:00:00.000Z"}"#, answer: item) {
            _ = try await $0.snooze("n", until: Date(timeIntervalSince1970: 1_795_629_600))
        },
        Call(line: "POST /api/notifications/n/receipt", body: #"{"deviceId":"d"}"#, answer: "") {
            try await $0.confirmReceipt(of: "n", on: "d")
        },
        Call(
            line: "POST /api/events",
            body: #"{"events":[{"at":"2026-11-25T18:00:00.000Z","deviceId":"d","notificationId":"n","type":"displayed"}]}"#,
            answer: #"{"accepted":1}"#
        ) {
            let time = Date(timeIntervalSince1970: 1_795_629_600)
            let answer = try await $0.report([EngagementEvent(type: .displayed, notificationId: "n", deviceId: "d", at: time)])
            #expect(answer == 1)
        },
        Call(
            line: "POST /api/devices", body: #"{"permission":"denied","token":"00ff"}"#,
            answer: #"{"deviceId":"d","endpointArn":"e","body":{"deviceId":"d","endpointArn":"e"}}"#
        ) {
            let device = try await $0.register(DeviceRegistration(token: "00ff", permission: .denied))
            #expect(device == Device(deviceId: "d", endpointArn: "e"))
        },
        Call(line: "PATCH /api/devices/d", body: #"{"timeZone":"Asia/Kathmandu"}"#, answer: "") {
            try await $0.update("d", DeviceChange(timeZone: "Asia/Kathmandu"))
        },
        Call(line: "DELETE /api/devices/d", answer: "") { try await $0.unregister("d") },
        Call(
            line: "GET /api/local-notifications?deviceId=d&since=3", answer: #"{"version":4,"reset":false,"requests":[],"removed":["a"]}"#
        ) {
            let answer = try await $0.localPlan(device: "d", since: 3)
            #expect(answer.removed == ["a"])
        },
        Call(line: "POST /api/local-notifications/ack", body: #"{"deviceId":"d","version":4}"#, answer: "") {
            try await $0.confirmLocalPlan(device: "d", version: 4)
        },
        Call(line: "GET /configuration/features", answer: #"{"is_blur_enabled":true,"refresh_interval_sec":30}"#) {
            let answer = try await $0.features()
            #expect(answer == Features(isBlurEnabled: true, refreshIntervalSeconds: 30))
        },
        Call(line: "GET /likes?limit=20", answer: #"{"data":[],"meta":{"next_cursor":null,"reset_required":false}}"#) {
            _ = try await $0.likes()
        },
        Call(line: "GET /likes?limit=20&since_id=u", answer: #"{"data":[],"meta":{"next_cursor":null,"reset_required":true}}"#) {
            let answer = try await $0.likes(since: "u")
            #expect(answer.resetRequired)
        },
        // An id of another system may have any characters.
        Call(line: "POST /likes/user%2F1%3Fa/action", body: #"{"action":"pass"}"#, answer: "") {
            try await $0.act(.pass, on: "user/1?a")
        },
        Call(line: "POST /unblur/start", answer: noTimer) { _ = try await $0.startUnblur() },
        Call(line: "GET /unblur/state", answer: noTimer) { _ = try await $0.unblurState() },
    ]

    @Test(arguments: calls) private func aCallHasItsRequest(_ call: Call) throws {
        let scene = InboxScene()
        let path = call.line.split(separator: "?")[0]
        scene.server.answer(String(path), call.answer)
        let client = scene.client
        _ = try #require(scene.result { try await call.make(client) }).get()
        let request = try #require(scene.server.requests.last)
        #expect("\(request.method) \(request.url.absoluteString.dropFirst("file://".count))" == call.line)
        #expect(request.headers["authorization"] == "Bearer token")
        if let body = call.body {
            #expect(request.body.map { String(decoding: $0, as: UTF8.self) } == body)
            #expect(request.headers["content-type"] == "application/json")
        } else {
            #expect(request.body == nil)
        }
    }

    @Test func preferencesAreReplaced() throws {
        let scene = InboxScene()
        scene.server.answer("PUT /api/preferences", #"{"pushEnabled":false}"#)
        let client = scene.client
        let stored = try #require(scene.result { try await client.setPreferences(Preferences(pushEnabled: false)) }).get()
        #expect(!stored.pushEnabled)
        let sent = try JSONDecoder().decode(CaseValue.self, from: #require(scene.server.requests.last?.body))
        #expect(sent["quietHoursStart"] == .null)
    }

    @Test func aRefusedFieldIsNamed() throws {
        let scene = InboxScene()
        scene.server.answer(
            "PUT /api/preferences", status: 422,
            """
            {"type":"urn:tidings:problem:invalid","title":"Invalid",
            "errors":[{"pointer":"/quietHoursStart","detail":"no time","code":"format"}]}
            """)
        let client = scene.client
        let result = try #require(scene.result { try await client.setPreferences(Preferences()) })
        #expect(throws: InboxError.self) { try result.get() }
        guard case .failure(let error as InboxError) = result else { return }
        #expect(error.fieldErrors == [FieldError(pointer: "/quietHoursStart", detail: "no time", code: "format")])
        #expect(error.description == "The request was refused: Invalid")
    }

    /// A fixed token cannot be replaced: a second request would be refused as well.
    @Test func theSameTokenIsNotSentTwice() throws {
        let scene = InboxScene()
        scene.server.answer("GET /api/preferences", status: 401)
        let client = scene.client
        let result = try #require(scene.result { try await client.preferences() })
        #expect(throws: InboxError.unauthorized) { try result.get() }
        #expect(scene.server.requests.count == 1)
    }

    /// A proxy may answer with any form of RFC 9110.
    @Test(
        arguments: [
            ("7", 7), ("Wed, 25 Nov 2026 13:02:00 GMT", 120), ("Wednesday, 25-Nov-26 13:02:00 GMT", 120), ("Wed Nov 25 13:02:00 2026", 120),
            ("Wed, 25 Nov 2026 12:00:00 GMT", 0), ("soon", nil), ("-1", nil), ("1.5", nil), ("inf", nil),
            ("Wed, 25 Now 2026 13:02:00 GMT", nil),
        ] as [(String, Double?)])
    func theServerSaysWhenToAskAgain(_ text: String, _ seconds: Double?) throws {
        let scene = InboxScene()
        scene.server.answer(
            "GET /api/preferences", status: 503, headers: ["retry-after": text, "date": "Wed, 25 Nov 2026 13:00:00 GMT"])
        let client = scene.client
        let result = try #require(scene.result { try await client.preferences() })
        #expect(throws: InboxError.unavailable(retryAfter: seconds)) { try result.get() }
    }

    @Test func theClockOfTheServerDecides() throws {
        let scene = InboxScene()
        // The device is an hour behind the server.
        scene.server.answer(
            "GET /unblur/state", headers: ["date": "Wed, 25 Nov 2026 13:00:00 GMT"],
            #"{"expires_at":"2026-11-25T13:10:00.000Z","is_active":true}"#)
        let client = scene.client
        let timer = try #require(scene.result { try await client.unblurState() }).get()
        let now = scene.clock.now
        #expect(timer.isActive(now: now))
        #expect(abs(timer.remaining(now: now) - 600) <= 0.5)
        #expect(!timer.isActive(now: now.addingTimeInterval(600)))
    }
}
