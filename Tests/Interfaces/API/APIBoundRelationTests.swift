import Testing
import TidingsContracts
import TidingsCore
import TidingsHTTPServer
import TidingsPipeline
import TidingsProvider
import TidingsServer
import TidingsStore

@testable import TidingsAPI

/// Relations between the bounds of the API, and to those of the data path below it.
@Suite struct APIBoundRelationTests {
    /// The time after which proxies close a connection that is silent.
    private static let proxy = Duration.seconds(60)

    @Test func aConnectionOutlastsItsProxy() {
        #expect(APILimits.heartbeat * 2 < Self.proxy, "a proxy keeps a stream with one late heartbeat")
        #expect(Self.proxy < APILimits.server.idle, "the proxy closes an idle connection first, so it sends no request into its end")
        #expect(WorkWatch.patience < IntentSubmission.confirmPatience, "a request outlasts the election of a leader")
        #expect(IntentSubmission.confirmPatience < Self.proxy, "a client hears from Tidings that a confirm did not come")
    }

    /// The delay of the stop, the requests in work, and the ends of streams and connections come one after the other.
    @Test func aStopOfTheAPIEndsBeforeTheProcessCancelsIt() {
        #expect(IntentSubmission.confirmPatience < APILimits.grace, "an intent that waits for its confirm is answered")
        #expect(APISettings.standardStopDelay <= APISettings.longestStopDelay)
        let ends = Duration.seconds(2)
        #expect(
            APISettings.longestStopDelay + APILimits.grace + ends < RolesService.drainLimit,
            "the longest delay that can be set leaves the requests in work their time")
    }

    @Test func clientsComeBackSpreadOverTime() {
        #expect(APILimits.reconnect.upperBound - APILimits.reconnect.lowerBound >= 30_000, "a process that stops has many streams")
    }

    /// A body that is larger than a share could never be read.
    @Test func theLargestRequestFitsIntoItsShare() {
        let callback = CallbackRequest.maximumBodyBytes
        #expect(APILimits.intentBytes <= ByteRoom.tenants.share, "a backend sends its largest batch")
        #expect(APILimits.bodyBytes <= ByteRoom.people.share, "a person sends the largest body")
        #expect(callback <= ByteRoom.strangers.share, "a callback is read before it is proven")
        #expect(callback <= ByteRoom.providers.share, "and then counts for its provider")
        #expect(APILimits.intentBytes <= RateLimits.kibibytesPerKey.burst * 1_024, "a key that was idle sends its largest batch")
        #expect(
            IntentLimits().maximumIntentsPerMessage <= RequestRoom.notifications.share,
            "a tenant asks for as many notifications as one message has")
        #expect(RequestRoom.smallAnswer < RecipientOperations.exportBytes, "every export counts")
        #expect(RecipientOperations.exportBytes <= RequestRoom.answers.share, "a tenant may have an export")
        #expect(APILimits.tokenBytes < APILimits.server.headerFieldBytes, "the header has room for the longest token")
    }

    /// The events of other tenants wait for as much as stands before them in the intake queue.
    @Test func theAllowanceOfATenantIsLittleWork() {
        #expect(LaneAllowance.largestEvent <= LaneAllowance.perTenant.burst, "a tenant may send the largest event of an intake queue")
        #expect(LaneAllowance.perTenant.burst <= IntakePortion.maximumIntents, "a router takes the burst of a tenant in one portion")
        #expect(
            LaneAllowance.perTenant.burst * LaneAllowance.contentBytes <= IntakePortion.maximumBytes / 4,
            "also by the bytes of its contents, with room for lists of recipients")
        #expect(
            IntentLimits().maximumEventBytes / LaneAllowance.contentBytes <= LaneAllowance.perTenant.burst,
            "a tenant may send the largest event for one person")
    }

    @Test func thePartsOfTheInboxAgree() {
        #expect(APILimits.page <= Store.largestInboxPage, "the store reads every page that a client may ask for")
        #expect(Store.devicesPerPerson <= APILimits.streamsPerPerson, "each active device has its stream")
        #expect(InboxSignal.maximumIDs <= APILimits.idsInEvent, "an event names every id of a signal")
    }
}
