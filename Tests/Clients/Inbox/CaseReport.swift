import Foundation
import TidingsInbox

/// Results of calls that have no store.
// Only the thread of the case touches it: its executor runs every task there.
final class CaseResults: @unchecked Sendable {
    var push: PushPayload?
    var plan: LocalPlanReconciler.Steps?
    var visibility = PhotoVisibility()
    var likes = LikesState()
    var reports = ReportQueueState()
    /// Reports of which the app was told that they are given up.
    var givenUp = 0
    private(set) var problems: [String] = []

    func note(_ problem: String) { problems.append(problem) }
}

/// The state of the library in the words of the table.
struct CaseReport {
    let inbox: InboxState
    let results: CaseResults
    let cache: Data?
    let now: Date

    var value: CaseValue {
        var members: [String: CaseValue] = [
            "status": .text("\(inbox.status)"),
            "ids": Self.texts(inbox.items.map(\.id)),
            "read": Self.texts(inbox.items.filter(\.isRead).map(\.id)),
            "unreadCount": .number(Double(inbox.counts.unreadCount)),
            "total": .number(Double(inbox.counts.total)),
            "newItems": .number(Double(inbox.newItems)),
            "newLikes": .number(Double(inbox.newLikes)),
            "badge": .text(inbox.badge),
            "canLoadMore": .bool(inbox.canLoadMore),
            "isOnline": .bool(inbox.isOnline),
            "permissionHint": inbox.permissionHint.map { .text($0.rawValue) } ?? .null,
            "error": Self.value(inbox.error),
            "connection": .text(connection.word),
            "reconnectInSeconds": connection.seconds.map(CaseValue.number) ?? .null,
            "isVisible": .bool(results.visibility.isVisible(now: now)),
            "unblur": unblur,
            "likes": likes,
            "reports": reports,
        ]
        members["items"] = .object(
            Dictionary(inbox.items.map { ($0.id, (try? CaseValue(encoding: $0)) ?? .null) }) { $1 })
        members["cache"] = cacheValue
        members["push"] = results.push.map(Self.value)
        members["plan"] = plan
        if let features = results.visibility.features {
            members["features"] = .object([
                "isBlurEnabled": .bool(features.isBlurEnabled),
                "refreshIntervalSeconds": .number(Double(features.refreshIntervalSeconds)),
            ])
        }
        if !results.problems.isEmpty { members = ["problems": Self.texts(results.problems)] }
        return .object(members)
    }

    private var connection: (word: String, seconds: Double?) {
        switch inbox.connection {
        case .stopped: ("stopped", nil)
        case .connecting: ("connecting", nil)
        case .open: ("open", nil)
        case .waiting(let seconds): ("waiting", seconds)
        case .refused: ("refused", nil)
        }
    }

    private var unblur: CaseValue {
        let timer = results.visibility.timer
        return .object([
            "isActive": .bool(timer?.isActive(now: now) ?? false),
            "remainingSeconds": .number((timer?.remaining(now: now) ?? 0).rounded(.up)),
        ])
    }

    private var likes: CaseValue {
        .object([
            "status": .text("\(results.likes.status)"),
            "ids": Self.texts(results.likes.likes.map(\.id)),
            "statuses": .object(
                Dictionary(results.likes.likes.map { ($0.id, CaseValue.number(Double($0.status.rawValue))) }) { $1 }),
            "canLoadMore": .bool(results.likes.canLoadMore),
            "error": Self.value(results.likes.error),
        ])
    }

    private var reports: CaseValue {
        .object([
            "waiting": .number(Double(results.reports.waiting)),
            "error": Self.value(results.reports.error),
            "isStored": .bool(results.reports.isStored),
            "givenUp": .number(Double(results.givenUp)),
        ])
    }

    private var cacheValue: CaseValue? {
        guard let cache, let value = try? JSONDecoder().decode(CaseValue.self, from: cache) else { return nil }
        let items = value["items"]?.elements ?? []
        var members = value.members
        members["ids"] = .array(items.compactMap { $0["id"] })
        members["read"] = .array(items.filter { $0["isRead"]?.bool == true }.compactMap { $0["id"] })
        return .object(members)
    }

    private var plan: CaseValue? {
        results.plan.map { steps in
            .object([
                "version": steps.plan.version.map { .number(Double($0)) } ?? .null,
                "add": Self.texts(steps.add.map(\.identifier)),
                "remove": Self.texts(steps.remove),
                "planned": Self.texts(steps.plan.planned.map(\.request.identifier)),
                "acknowledge": steps.confirm.map { .number(Double($0)) } ?? .null,
            ])
        }
    }

    private static func texts(_ texts: [String]) -> CaseValue { .array(texts.map(CaseValue.text)) }

    private static func value(_ error: InboxError?) -> CaseValue {
        guard let error else { return .null }
        let kind =
            switch error {
            case .unauthorized: "unauthorized"
            case .forbidden: "forbidden"
            case .notFound: "notFound"
            case .invalid: "invalid"
            case .rateLimited: "rateLimited"
            case .unavailable: "unavailable"
            case .server: "server"
            case .network: "network"
            case .malformedAnswer: "decoding"
            case .tokenUnavailable: "tokenUnavailable"
            case .cancelled: "cancelled"
            case .tooManyChanges: "tooManyChanges"
            case .tooManyReports: "tooManyReports"
            }
        var members: [String: CaseValue] = ["kind": .text(kind), "description": .text(error.localizedDescription)]
        members["status"] = error.status.map { .number(Double($0)) }
        members["retryAfterSeconds"] = error.retryAfter.map(CaseValue.number)
        return .object(members)
    }

    private static func value(_ push: PushPayload) -> CaseValue {
        switch push {
        case .metadata(let file):
            var members: [String: CaseValue] = ["title": .null, "publishDate": .null, "size": .null, "url": .null]
            members.merge((try? CaseValue(encoding: file))?.members ?? [:]) { $1 }
            return .object(["kind": .text("metadata"), "file": .object(members)])
        case .downloadReady(let download):
            let members = ((try? CaseValue(encoding: download))?.members ?? [:]).merging(["kind": .text("downloadReady")]) { $1 }
            return .object(members)
        case .localPlanChanged:
            return .object(["kind": .text("localPlan")])
        case .visible(let push):
            let time = push.createdAt.map { Date.ISO8601FormatStyle(includingFractionalSeconds: true).format($0) }
            return .object([
                "kind": .text("notification"), "id": .text(push.id), "type": .text(push.type.rawValue),
                "title": push.title.map(CaseValue.text) ?? .null, "body": push.body.map(CaseValue.text) ?? .null,
                "badge": push.badge.map { .number(Double($0)) } ?? .null, "category": .text(push.category.rawValue),
                "createdAt": time.map(CaseValue.text) ?? .null, "data": .object(push.data.mapValues(CaseValue.text)),
            ])
        case .unknown(let unknown):
            return .object(["kind": .text("unknown"), "reason": .text(unknown.reason.rawValue)])
        }
    }
}
