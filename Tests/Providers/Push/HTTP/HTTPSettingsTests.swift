import Testing
import TidingsCore
import TidingsProvider

@testable import ProviderJSONOverHTTP
@testable import TidingsJSON

/// The settings that an operator may write, and the errors for wrong ones.
struct HTTPSettingsTests {
    @Test func everySettingIsDeclaredInOrder() {
        #expect(
            HTTPProviderFactory.settings.map(\.name) == [
                "url", "method", "contentType", "body", "headers", "headerEncoding", "authorization", "idempotencyHeader", "success",
                "retry", "gone", "misconfigured", "successPath", "successValue", "messageIdPath", "delivered", "maximumBodyBytes",
                "timeoutSeconds", "connectTimeoutSeconds", "maximumConcurrency", "requestsPerSecond", "certificateAuthorities",
                "callbackAuthentication", "callbackSecret", "callbackHeader", "callbackSignaturePrefix", "callbackSignatureEncoding",
                "callbackTimestampHeader", "callbackSignedText", "callbackToleranceSeconds", "callbackEventsPath", "callbackReference",
                "callbackReferencePath", "callbackStatePath", "callbackStates", "callbackTimePath", "callbackEventIdPath",
            ])
    }

    /// The declared defaults are the real defaults: writing out every default changes nothing.
    @Test func declaredDefaultsAreTheDefaults() throws {
        let declared = Dictionary(uniqueKeysWithValues: HTTPProviderFactory.settings.map { ($0.name, $0.defaultValue) })
        let written = try HTTPService.configuration(declared.filter { !$0.value.isEmpty })
        let plain = try HTTPService.configuration([:])
        #expect(written.method == plain.method && written.url == plain.url && written.headers == plain.headers)
        #expect(written.maximumBodyBytes == plain.maximumBodyBytes)
        #expect(written.calls.limits(maximumBodyBytes: 1) == plain.calls.limits(maximumBodyBytes: 1))
        #expect(plain.method == .post && plain.maximumBodyBytes == 262_144)
    }

    @Test func limitsAreTheSettings() async throws {
        let binding = HTTPService.binding([
            "url": "http://dmp.internal/", "maximumBodyBytes": "1000", "maximumConcurrency": "3", "requestsPerSecond": "50",
            "timeoutSeconds": "9",
        ])
        let provider = try HTTPProviderFactory.make(binding: binding, environment: [:])
        #expect(provider.name == "dmp" && provider.channel == .push)
        #expect(
            provider.limits
                == ProviderLimits(maximumBodyBytes: 1_000, maximumConcurrency: 3, requestsPerSecond: 50, sendTimeout: .seconds(9)))
        await provider.close()
    }

    @Test(arguments: Channel.allCases)
    func everyChannelButTheInbox(_ channel: Channel) async throws {
        let binding = HTTPService.binding(["url": "https://dmp.example.com"], channel: channel)
        guard channel != .inApp else {
            let error = #expect(throws: ProviderConfigurationError.self) {
                try HTTPProviderFactory.make(binding: binding, environment: [:])
            }
            #expect(error?.description.contains("every channel but inApp") == true)
            return
        }
        let provider = try HTTPProviderFactory.make(binding: binding, environment: [:])
        #expect(provider.channel == channel)
        await provider.close()
    }

    @Test func theEnvironmentFillsIn() throws {
        let environment = ["TIDINGS_HTTP_METHOD": "PUT", "TIDINGS_HTTP_AUTHORIZATION": "Bearer t", "TIDINGS_HTTP_SUCCESS": "204"]
        let configuration = try HTTPService.configuration([:], environment)
        #expect(configuration.method == .put)
        #expect(configuration.headers.contains { $0.name == "authorization" && $0.secret == "Bearer t" })
    }

    /// Settings, and the text of the error. The error begins with the name of the first wrong setting.
    static let mistakes: [([String: String], String)] = [
        (["url": ""], "setting url: must be set"), (["url": "dmp.example.com"], "setting url: \"dmp.example.com\" does not begin with"),
        (["url": "ftp://dmp"], "does not begin with"), (["url": "https://"], "has no host"), (["url": "https:///a"], "has no host"),
        (["url": "https://?a"], "has no host"), (["url": "https://{{tenant}}.example.com/"], "the host holds a placeholder"),
        (["url": "https://dmp:{{badge}}/"], "the host holds a placeholder"), (["url": "https://a:b@dmp/"], "user information"),
        (["url": "https://dmp/a b"], "a space"), (["url": "https://dmp/é"], "outside ASCII"), (["url": "https://dmp/a#b"], "a fragment"),
        (["url": "https://dmp#b"], "a fragment"), (["url": "https://dmp/{{recipeint}}"], "did you mean recipient?"),
        (["url": "https://dmp/{{recipient"], "never closed"), (["url": "https://dmp/?{{}}"], "names no field"),
        (["method": "HEAD"], "setting method: \"HEAD\" is not one of GET, POST, PUT, PATCH, DELETE"),
        (["method": "GET", "body": "{}"], "setting body: GET sends no body"),
        (["contentType": "text/plain"], "setting body: must be set, because the standard body is JSON and contentType is text/plain"),
        (["contentType": "a\tb\u{1}", "body": "x"], "setting contentType: the value of content-type holds a control character"),
        (["body": "{\n  \"badge\": {{badge}}\n}"], "setting body: not JSON at line 2, column 13: expected a member name"),
        (["body": "{\n  \"badge\": {{badge}}\n}"], "a placeholder stands in quotes"),
        (["body": "{\"é\": x}"], "line 1, column 7: expected a value"), (["body": "{\"a\":1,\"a\":2}"], "line 1, column 8"),
        (["body": "[1,"], "not JSON at line 1, column 4: the document ends too early"),
        (["body": "{\"a\":[{\"b\":\"{{titel}}\"}]}"], "setting body: unknown placeholder \"titel\"; did you mean title?"),
        (["body": "\"{{wholly-unlike}}\""], "there are: id, recipient, tenant"), (["body": "\"{{data.}}\""], "names no field between"),
        (["body": "\"{{data..a}}\""], "names no field between"), (["body": "\"{{database.a}}\""], "unknown placeholder"),
        (["body": "{\"{{title}}\":1}"], "only values may"),
        (["body": "{{nope}}", "contentType": "text/plain"], "unknown placeholder \"nope\""),
        (["headers": "X-A"], "setting headers: a line is not \"Name: value\""), (["headers": "X A: 1"], "\"X A\" is not the name"),
        (["headers": ": 1"], "\"\" is not the name"), (["headers": "É: 1"], "is not the name"),
        (["headers": "authorization: x"], "setting of its own, authorization"), (["headers": "Content-Type: x"], "own, contentType"),
        (["headers": "Content-Length: 1"], "not for a setting"), (["headers": "X-A: 1\nx-a: 2"], "x-a is there twice"),
        (["headers": "idempotency-key: {{id}}"], "there twice"), (["headers": "X-A: {{nope}}"], "unknown placeholder"),
        (["headers": "X-A: a\u{1}b"], "control character"), (["headers": "X-Api-Key: hunter2"], "named, not written down"),
        (["headerEncoding": "base64"], "setting headerEncoding: \"base64\" is none of encodedWords, percent"),
        (["headers": "X-Api-Key: env:NOPE"], "NOPE is not set"), (["headers": "X-Api-Key: env:BROKEN"], "control character"),
        (["authorization": "hunter2"], "setting authorization: a secret is named, not written down"),
        (["authorization": "env:BROKEN"], "setting authorization: the secret of authorization holds a control character"),
        (["idempotencyHeader": "a b"], "setting idempotencyHeader: \"a b\" is not the name"),
        (["idempotencyHeader": "Content-Type"], "setting idempotencyHeader: Content-Type is a setting"),
        (["success": "2xx"], "setting success: \"2xx\" is not a status"), (["success": "299-200"], "is not a status"),
        (["success": "100"], "is not a status"), (["retry": "500-600"], "is not a status"), (["retry": "500-"], "is not a status"),
        (["retry": "1-2-3"], "is not a status"), (["gone": "none, 410"], "\"none\" is not a status"),
        (["success": "200, 410"], "setting success: 410 is in success and in gone, which is 410"),
        (["gone": "404, 429"], "setting gone: 429 is in retry and in gone"), (["misconfigured": "299-401"], "299 is in success"),
        (["successPath": "/a"], "setting successValue: must be set"), (["successValue": "a"], "setting successPath: must be set"),
        (["successPath": "a", "successValue": "b"], "is not a JSON pointer"), (["messageIdPath": "/a~2"], "a tilde is neither"),
        (["messageIdPath": "/a~"], "a tilde is neither"), (["delivered": "yes"], "neither true nor false"),
        (["maximumBodyBytes": "0"], "from 1 to 10485760"), (["timeoutSeconds": "21"], "from 1 to 20"),
        (["endpoint": "https://dmp"], "unknown setting"), (["bodi": "{}"], "did you mean body?"),
    ]

    @Test(arguments: mistakes)
    func mistakesAreExplained(_ settings: [String: String], _ reason: String) {
        let problem = HTTPService.problem(settings, ["BROKEN": "hunter2\u{1}hunter2"])
        #expect(problem.contains(reason), "\(problem)")
        #expect(!problem.contains("hunter2"))
    }

    @Test(arguments: ["X-Device-Token: {{address}}", "X-Api-Key: env:KEY", "X-Note: with: colons", "X-Empty:"])
    func headersThatAreFine(_ line: String) {
        #expect(HTTPService.problem(["headers": line], ["KEY": "k"]) == "")
    }
}
