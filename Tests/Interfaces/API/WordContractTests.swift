import Testing
import TidingsCore
import TidingsJSON
import TidingsStore
import TidingsTestSupport
import TidingsWeb

@testable import TidingsAPI

/// Every closed list of words in the OpenAPI document has the words of the code.
@Suite struct WordContractTests {
    private let document: OpenAPIDocument

    init() throws { document = try .standard() }

    private static func words<Word: CaseIterable & RawRepresentable>(_: Word.Type) -> Set<JSON> where Word.RawValue == String {
        Set(Word.allCases.map { .string($0.rawValue) })
    }

    /// By the end of the place in the document.
    private static let words: [String: Set<JSON>] = [
        "/schemas/Problem/properties/type": Set(Problem.Kind.allCases.map { .string("urn:tidings:problem:\($0.rawValue)") }),
        "/properties/share/properties/of": words(UsedShare.Owner.self),
        "/properties/share/properties/unit": words(UsedShare.Unit.self),
        "/schemas/Category": words(Category.self),
        "/schemas/Channel": words(Channel.self),
        "/schemas/Permission": words(Permission.self),
        "/schemas/NewDevice/properties/platform": words(DevicePlatform.self).union(["", .null]),
        "/schemas/DeviceChange/properties/platform": words(DevicePlatform.self).union(["", .null]),
        "/schemas/Device/properties/platform": words(DevicePlatform.self),
        "/schemas/NewDevice/properties/environment": words(DeviceEnvironment.self).union(["", .null]),
        "/schemas/DeviceChange/properties/environment": words(DeviceEnvironment.self).union(["", .null]),
        "/schemas/Address/properties/kind": words(AddressKind.self),
        // An operator sets a webhook.
        "/schemas/NewAddress/properties/kind": words(AddressKind.self).subtracting(["webhook"]),
        "/schemas/Address/properties/consent": words(Consent.self),
        "/schemas/NewAddress/properties/consent": words(Consent.self).union(["", .null]),
        "/schemas/AddressChange/properties/consent": words(Consent.self).union(["", .null]),
        // Words of the view tidings_ops.addresses.
        "/schemas/Address/properties/state": ["active", "suppressed", "denied"],
        // Words of the view tidings_ops.devices.
        "/schemas/Device/properties/state": ["active", "gone"],
        // Words of the view tidings_ops.erasures.
        "/schemas/Erasure/properties/state": ["running", "done"],
        "/schemas/Erasure/properties/step": words(ErasureStep.self).union(["done"]),
        "/schemas/Erasure/properties/waits_for": ["transactions", "calls", "failed", .null],
        // Words of the view tidings_ops.notifications, and of promises. The answer to a decided promise is the notification.
        "/properties/notification/properties/state":
            words(NotificationPromise.State.self).subtracting(["decided"]).union(["pending", "done"]),
        "/properties/deliveries/items/properties/state": words(DeliveryState.self),
        "/schemas/InboxItem/properties/state": words(InboxItem.State.self),
        "/schemas/EngagementEvent/properties/type": words(EngagementEvent.Kind.self),
        "/schemas/InboxPage/properties/permissionHint": ["openSettings", .null],
        "/schemas/InboxCursorPage/properties/permissionHint": ["openSettings", .null],
        "/properties/result": words(CancelAnswer.self),
        "/properties/origins/additionalProperties": ["person", "catalogue", "default"],
        "/schemas/IntentEvent/properties/datacontenttype": ["application/json", "", .null],
    ]

    /// Words of modules, by the end of the place. The tests of each module compare them.
    private static let wordsOfModules = ["/schemas/Like/properties/status", "/properties/action"]

    @Test func everyListHasTheWordsOfTheCode() throws {
        var found: Set<String> = []
        document.root.visit { place, value in
            guard let list = value["enum"]?.arrayValue, !Self.wordsOfModules.contains(where: { place.hasSuffix($0) })
            else { return }
            guard let (end, words) = Self.words.first(where: { place.hasSuffix($0.key) }) else {
                Issue.record("\(place) is no list that the code has")
                return
            }
            found.insert(end)
            #expect(Set(list) == words && list.count == words.count, "\(place)")
        }
        #expect(found == Set(Self.words.keys))
    }

    @Test func theScopesAreThoseOfTheCode() throws {
        let needed = Set(document.operations.compactMap { $0.body["x-scope"]?.stringValue })
        // A scope that adds to the answer of an operation.
        let optional = Set(document.operations.compactMap { $0.body["x-optional-scope"]?.stringValue })
        #expect(needed.union(optional) == Set(APIScope.allCases.map(\.rawValue)) && needed.isDisjoint(with: optional))
        let text = try #require(document.root["components"]?["securitySchemes"]?["apiKey"]?["description"]?.stringValue)
        for scope in APIScope.allCases { #expect(text.contains("`\(scope.rawValue)`"), "\(scope.rawValue)") }
    }
}
