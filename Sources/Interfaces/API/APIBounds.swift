import TidingsCore
import TidingsHTTPServer
import TidingsServer
import TidingsWeb

/// Every bound of the API, in the order in which a request meets them. No number stands here: each is read from its constant.
enum APIBounds {
    static var all: [Bound] { connection + request + callers + callbacks + inbox + engagement }

    private static var connection: [Bound] {
        let http = APILimits.server
        return [
            Bound(
                "HTTPServerLimits.spareConnections", http.spareConnections, "connections",
                "Accepted by a full process, only to be answered with 503."),
            Bound(
                "OpenFiles.reserve", OpenFiles.reserve, "descriptors",
                "Of the limit of open files: for servers, files, timers and connections that are refused."),
            Bound("APILimits.connectionPause", APILimits.connectionPause, "Before a client whose connection was refused comes back."),
            Bound("APILimits.grace", APILimits.grace, "A process that stops answers the requests in work for as long."),
            Bound("CertificateWatch.interval", CertificateWatch.interval, "Between two looks at the files of the certificate."),
            Bound("HTTPServerLimits.backlog", http.backlog, "connections", "Wait to be accepted."),
            Bound("HTTPServerLimits.idle", http.idle, "A connection without a request is closed then."),
            Bound("HTTPServerLimits.request", http.request, "From the first byte of a request to its last, and for a TLS handshake."),
            Bound(
                "HTTPServerLimits.writeStall", http.writeStall,
                "A client that takes longer for two and a half parts of its answer may be disconnected."),
            Bound(
                "HTTPServerLimits.answerPartBytes", http.answerPartBytes, "bytes",
                "Of an answer written at once; the next part waits until the client takes them."),
            Bound(
                "HTTPServerLimits.drainedBytes", http.drainedBytes, "bytes",
                "Of an unread body, dropped after an early answer, so that the client sees the answer."),
        ]
    }

    private static var request: [Bound] {
        let http = APILimits.server
        return [
            Bound("HTTPServerLimits.headerBytes", http.headerBytes, "bytes", "Names and values of all headers of a request."),
            Bound("HTTPServerLimits.headerFieldBytes", http.headerFieldBytes, "bytes", "Of one header: the longest token fits."),
            Bound("HTTPServerLimits.headerFields", http.headerFields, "headers", "Of one request."),
            Bound(
                "HTTPServerLimits.partBytes", http.partBytes, "bytes",
                "Read at once; four such parts of a body are in memory before it is asked for."),
            Bound("APILimits.intentBytes", APILimits.intentBytes, "bytes", "Of a body with intents: the largest message of intake."),
            Bound("APILimits.bodyBytes", APILimits.bodyBytes, "bytes", "Of any other body."),
            Bound("ByteRoom.strangers.total", ByteRoom.strangers.total, "bytes", "Of bodies in work of unproven clients."),
            Bound("ByteRoom.strangers.share", ByteRoom.strangers.share, "bytes", "Of these, from one address."),
            Bound("ByteRoom.people.total", ByteRoom.people.total, "bytes", "Of bodies in work of people."),
            Bound("ByteRoom.people.share", ByteRoom.people.share, "bytes", "Of these, of one person."),
            Bound(
                "ByteRoom.people.forPeopleOfTenant", ByteRoom.people.forPeopleOfTenant, "bytes", "Of these, of all people of one tenant."),
            Bound(
                "ByteRoom.tenants.total", ByteRoom.tenants.total, "bytes",
                "Of bodies in work of all tenants: each costs five times as much."),
            Bound("ByteRoom.tenants.share", ByteRoom.tenants.share, "bytes", "Of these, of one tenant: four of the largest batches."),
            Bound("ByteRoom.providers.total", ByteRoom.providers.total, "bytes", "Of callbacks in work that are proven."),
            Bound("ByteRoom.providers.share", ByteRoom.providers.share, "bytes", "Of these, of one provider."),
            Bound("RequestRoom.perPerson", RequestRoom.perPerson, "requests", "In work of one person."),
            Bound("RequestRoom.perPeople", RequestRoom.perPeople, "requests", "In work of all people of a tenant."),
            Bound("RequestRoom.perBusyPeople", RequestRoom.perBusyPeople, "requests", "Of these, of people with requests in work."),
            Bound("RequestRoom.perTenant", RequestRoom.perTenant, "requests", "In work of all keys of a tenant."),
            Bound("RequestRoom.notifications.total", RequestRoom.notifications.total, "notifications", "That requests in work ask for."),
            Bound("RequestRoom.notifications.share", RequestRoom.notifications.share, "notifications", "Of these, of one tenant."),
            Bound("RequestRoom.answers.total", RequestRoom.answers.total, "bytes", "Of large answers that their clients have not taken."),
            Bound(
                "RequestRoom.answers.share", RequestRoom.answers.share, "bytes",
                "Of these, of one person or tenant: the largest page of an inbox."),
            Bound(
                "RequestRoom.answers.forPeopleOfTenant", RequestRoom.answers.forPeopleOfTenant, "bytes",
                "Of these, of all people of one tenant."),
            Bound("RequestRoom.smallAnswer", RequestRoom.smallAnswer, "bytes", "An answer up to this size does not count."),
            Bound(
                "RecipientOperations.exportBytes", RecipientOperations.exportBytes, "bytes",
                "That an export counts for until its client has taken it: two of its pages."),
            Bound("ByteRoom.pause", ByteRoom.pause, "Before a caller without room tries again."),
            Bound("Problem.mostFaults", Problem.mostFaults, "faults", "Of one body or query that an answer names."),
        ]
    }

    private static var callers: [Bound] {
        [
            Bound("APILimits.tokenBytes", APILimits.tokenBytes, "bytes", "Of the token of a person."),
            Bound("APILimits.rememberedTokens", APILimits.rememberedTokens, "tokens", "Verified once and remembered until they expire."),
            Bound("TokenKeys.interval", TokenKeys.interval, "Between two regular looks for new keys of the login service."),
            Bound("TokenKeys.retryInterval", TokenKeys.retryInterval, "Between two looks while the last one has failed."),
            Bound("TokenKeySource.patience", TokenKeySource.patience, "Of one look at an address."),
            Bound(
                "TokenKeys.longestAge", TokenKeys.longestAge,
                "A set of keys that no look confirms counts no longer: a withdrawn key must not live on."),
            Bound(
                "TokenKeys.longestAbsence", TokenKeys.longestAbsence,
                "A key that a look did not find is refused at once while the next look is under way."),
            Bound("TokenKeys.mostWaiting", TokenKeys.mostWaiting, "requests", "That wait for a look because their key is unknown."),
            Bound(
                "TokenKeys.shortestInterval", TokenKeys.shortestInterval,
                "Between two looks because of an unknown key: anybody can name one."),
            Bound("PersonTokens.memoryOfRefusals", PersonTokens.memoryOfRefusals, "A refused token is not verified a second time."),
            Bound("PersonTokens.rememberedRefusals", PersonTokens.rememberedRefusals, "tokens", "Refused and remembered."),
            Bound("KeyCheck.memory", KeyCheck.memory, "A verified key is remembered; a revoked one ends within this time."),
            Bound("KeyCheck.remembered", KeyCheck.remembered, "keys", "Good and remembered; as many wrong ones are."),
            Bound("KeyDesk.largestBatch", KeyDesk.largestBatch, "keys", "That one query looks up; one query runs at a time."),
            Bound("KeyDesk.mostWaiting", KeyDesk.mostWaiting, "keys", "That wait for a query; the request of each is in memory."),
            Bound(
                "FailedLogins.perAddress.perSecond", FailedLogins.perAddress.perSecond, "logins",
                "That may fail from one address in a second: programs do not mistype."),
            Bound("FailedLogins.perAddress.burst", FailedLogins.perAddress.burst, "logins", "That may fail from one address at once."),
            Bound(
                "FailedLogins.unnamed.perSecond", FailedLogins.unnamed.perSecond, "logins",
                "That may fail in a second of all clients that no proxy names: they may be everybody."),
            Bound("FailedLogins.unnamed.burst", FailedLogins.unnamed.burst, "logins", "Of these clients at once."),
            Bound("FailedLogins.remembered", FailedLogins.remembered, "addresses", "Addresses beyond it share one limit."),
            Bound(
                "ConnectionRates.secondsForAll", ConnectionRates.secondsForAll, "seconds",
                "In which an address may open all of its connections again; all of them may also come at once."),
            Bound("ConnectionRates.remembered", ConnectionRates.remembered, "addresses", "Addresses beyond it share one limit."),
            Bound("RefusalPause.length", RefusalPause.length, "Before a caller is told that its share is used up, or its key not known."),
            Bound("RefusalPause.mostWaiting", RefusalPause.mostWaiting, "refusals", "That wait at once; one more is told at once."),
            Bound(
                "RateLimits.burstSeconds", RateLimits.burstSeconds, "seconds",
                "A caller that was idle may send as many requests at once as in this time."),
            Bound("RateLimits.remembered", RateLimits.remembered, "callers", "Of each kind; callers beyond it share one limit."),
            Bound(
                "RateLimits.kibibytesPerKey.perSecond", RateLimits.kibibytesPerKey.perSecond, "KiB",
                "Of bodies of one key in a second: sixteen of the largest."),
            Bound("RateLimits.kibibytesPerKey.burst", RateLimits.kibibytesPerKey.burst, "KiB", "Of bodies of one key at once."),
            Bound(
                "RateLimits.kibibytesPerTenant.perSecond", RateLimits.kibibytesPerTenant.perSecond, "KiB",
                "Of bodies of all keys of a tenant in a second."),
            Bound(
                "RateLimits.kibibytesPerTenant.burst", RateLimits.kibibytesPerTenant.burst, "KiB",
                "Of bodies of all keys of a tenant at once."),
        ]
    }

    private static var callbacks: [Bound] {
        [
            Bound(
                "CallbackDesk.requestsPerProvider.perSecond", CallbackDesk.requestsPerProvider.perSecond, "requests",
                "Of one provider in a second: a service may report each message alone."),
            Bound(
                "CallbackDesk.requestsPerProvider.burst", CallbackDesk.requestsPerProvider.burst, "requests", "Of one provider at once."),
            Bound(
                "CallbackDesk.earlyReports.perSecond", CallbackDesk.earlyReports.perSecond, "reports",
                "Of one provider in a second, kept until their message ids are known."),
            Bound(
                "CallbackDesk.earlyReports.burst", CallbackDesk.earlyReports.burst, "reports",
                "Of these at once; beyond it a report counts as unknown."),
            Bound("CallbackDesk.logInterval", CallbackDesk.logInterval, "Between two lines of one kind about one provider."),
        ]
    }

    private static var inbox: [Bound] {
        [
            Bound("APILimits.page", APILimits.page, "entries", "On one page of an inbox."),
            Bound("APILimits.standardPage", APILimits.standardPage, "entries", "On a page if the app names no number."),
            Bound("APILimits.snooze", APILimits.snooze, "The longest time of a snooze."),
            Bound(
                "APILimits.streamsPerPerson", APILimits.streamsPerPerson, "streams",
                "Of one person, one for each active device; with one more, the oldest is told to reconnect."),
            Bound("APILimits.heartbeat", APILimits.heartbeat, "Of a stream; proxies close a connection that is silent for 60 s."),
            Bound("APILimits.healing", APILimits.healing, "Between two looks for changes whose signal was missed."),
            Bound("StreamTurns.length", StreamTurns.length, "Streams take turns with heartbeats and looks."),
            Bound("FirstNews.largestBatch", FirstNews.largestBatch, "streams", "That open together and share a query."),
            Bound("APILimits.idsInEvent", APILimits.idsInEvent, "ids", "Of one event of a stream; beyond it the app reads a page."),
            Bound(
                "APILimits.surplusTopics", APILimits.surplusTopics, "topics",
                "Of another version in the id of an event, beyond those of this process."),
            Bound("APILimits.personsInQuery", APILimits.personsInQuery, "people", "Whose counts one query reads."),
            Bound(
                "APILimits.reconnect.lowerBound", APILimits.reconnect.lowerBound, "milliseconds",
                "The earliest time after which a client that is told to reconnects."),
            Bound(
                "APILimits.reconnect.upperBound", APILimits.reconnect.upperBound, "milliseconds",
                "The latest: the clients of a process that stops do not come back all at once."),
        ]
    }

    private static var engagement: [Bound] {
        [
            Bound("APILimits.eventsInRequest", APILimits.eventsInRequest, "events", "That an app reports in one request."),
            Bound("APILimits.timeBytes", APILimits.timeBytes, "bytes", "Of the text of a time of such an event."),
            Bound("APILimits.facts", APILimits.facts, "members", "Of the detail of such an event."),
            Bound("APILimits.factNameCharacters", APILimits.factNameCharacters, "characters", "Of the name of such a member."),
            Bound("APILimits.factTextCharacters", APILimits.factTextCharacters, "characters", "Of the text of such a member."),
            Bound("APILimits.factBytes", APILimits.factBytes, "bytes", "Of the detail as JSON: a person has at most 2 MiB of it in a day."),
        ]
    }
}
