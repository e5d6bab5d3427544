import TidingsContracts
import TidingsHTTPServer
import TidingsPipeline

/// The bounds of the API, each with its reason.
package enum APILimits {
    /// The largest body of a request that is no intent.
    package static let bodyBytes = 64 * 1024
    /// The largest body with intents: the largest message of intake.
    package static let intentBytes = IntentLimits().maximumMessageBytes
    /// The time for which a process that stops answers the requests in work, so an intent that waits for its confirm has its answer. With
    /// the longest ``APISettings/stopDelay`` before it, the stop still ends within ``RolesService/drainLimit``.
    package static let grace = IntentSubmission.confirmPatience + .seconds(2)
    /// Items of one page of the inbox.
    package static let page = 100
    /// Items of a page if the app names no number.
    package static let standardPage = 20
    /// The longest token of a person.
    package static let tokenBytes = 8 * 1024
    /// Tokens whose verification is remembered until they expire.
    package static let rememberedTokens = 20_000
    /// Event streams of one person in one process: one for each active device. With one more, the oldest is told to reconnect.
    package static let streamsPerPerson = 20
    /// Between two heartbeats of a stream. Proxies close a connection that is silent for 60 s.
    package static let heartbeat = Duration.seconds(15)
    /// Between two looks for changes whose signal was missed.
    package static let healing = Duration.seconds(30)
    /// Ids named in one event of a stream. Beyond it the app reads the first page again.
    package static let idsInEvent = 50
    /// Persons whose counts are read in one query.
    package static let personsInQuery = 500
    /// The earliest and latest time after which a client reconnects, in milliseconds: 30 s between them.
    package static let reconnect = 1_000...31_000
    /// Digits of a position. A position begins with the time in milliseconds, which has 13.
    static let positionDigits = 18
    /// Topics of another version of Tidings that the id of an event may have beyond those of this process.
    static let surplusTopics = 16
    /// The longest time of a snooze.
    package static let snooze = Duration.seconds(366 * 86_400)
    /// The pause before a client whose connection was refused connects again.
    static let connectionPause = Duration.seconds(5)
    /// The pause before a report is sent again that came before its delivery had ended. A worker writes its answers within milliseconds.
    static let earlyReportPause = Duration.seconds(5)
    /// Events of one request. An app that was offline sends the others in the next one.
    package static let eventsInRequest = 100
    /// The longest text of a time.
    static let timeBytes = 64
    /// Members of the detail of an event.
    static let facts = 20
    /// Unicode scalars of the name of such a member.
    static let factNameCharacters = 64
    /// Unicode scalars of its text.
    static let factTextCharacters = 256
    /// Bytes of the detail of an event as JSON. A person's events of a day are then at most 2 MiB.
    package static let factBytes = 2 * 1024

    /// The limits of the server below the API, except those that are settings.
    static let server: HTTPServerLimits = {
        var limits = HTTPServerLimits()
        // 256 answers in a quarter of a second.
        limits.spareConnections = 256
        limits.bodyBytes = APILimits.intentBytes
        // A backend that is told to wait must see the answer. If it is still sending when the connection ends, it sees a reset, and its
        // proxy makes that a 502.
        limits.drainedBytes = APILimits.intentBytes
        return limits
    }()
}
