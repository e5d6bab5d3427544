import HTTPTypes
import TidingsCatalogue
import TidingsContracts
import TidingsCore
import TidingsHTTPServer
import TidingsJSON
import TidingsModules
import TidingsStore
import TidingsWeb

/// Likes, matches and the unblur of the person who asks.
struct LikeOperations: Sendable {
    let likes: Likes
    let context: ModuleContext

    /// Unicode scalars of the id of a liker. The id of a person has at most as many bytes.
    private static let likerCharacters = IntentLimits().maximumRecipientBytes

    func all<Access: PersonAccess, Call: PersonCall>() -> [Operation<Access, Call>] {
        [
            Operation(.get, "/configuration/features", "getFeatures", .person) { _ in features() },
            Operation(.get, "/likes", "listLikes", .person, query: ["limit", "cursor", "since_id"]) { try await list($0) },
            Operation(.post, "/likes/{user_id}/action", "answerLike", .person, hasBody: true) { try await answer($0) },
            Operation(.post, "/unblur/start", "startUnblur", .person) { try await start($0) },
            Operation(.get, "/unblur/state", "getUnblurState", .person) { try await state($0) },
        ]
    }

    private func features() -> ServerResponse {
        let catalogue = context.catalogues.current.catalogue
        return .json { json in
            json.beginObject()
            json.member("is_blur_enabled", FeatureSetting.isBlurEnabled.isOn(in: catalogue))
            json.member("refresh_interval_sec", FeatureSetting.likesRefreshInterval.number(in: catalogue))
            json.endObject()
        }
    }

    private func list(_ call: some PersonCall) async throws -> ServerResponse {
        let person = try call.person
        var query = call.query
        let limit = query.integer("limit", in: 1...Likes.maximumLimit, cap: Likes.maximumLimit) ?? Likes.defaultLimit
        let sinceID = query.text("since_id", atMost: Self.likerCharacters)
        var request: LikesRequest?
        do throws(LikesRequest.Problem) {
            request = try LikesRequest(cursor: query.text("cursor"), sinceID: sinceID)
        } catch {
            query.refuse(error == .malformedCursor ? "cursor" : "since_id", "\(error)")
        }
        try query.finish()
        guard let request else { throw Problem(.internal) }
        let page = try await likes.list(request, of: person.id, tenant: person.tenant, limit: limit)
        return .json { json in
            json.beginObject()
            json.key("data")
            json.beginArray()
            for like in page.likes { Self.write(like, to: &json) }
            json.endArray()
            json.key("meta")
            json.beginObject()
            json.optional("next_cursor", page.nextCursor?.description)
            json.member("reset_required", page.isReset)
            json.endObject()
            json.endObject()
        }
    }

    private static func write(_ like: Like, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", like.id)
        json.optional("name", like.name)
        json.optional("photoURL", like.photoURL)
        json.member("status", like.status.rawValue)
        json.member("createdAt", like.createdAt.milliseconds)
        json.member("serverIsBlurred", like.serverIsBlurred)
        json.endObject()
    }

    private func answer(_ call: some PersonCall) async throws -> ServerResponse {
        let person = try call.person
        var body = BodyReader(try await call.object(leniently: false), known: ["action"])
        let answer: LikeAnswer? = body.requiredWord("action")
        try body.finish()
        guard let answer else { throw Problem(.internal) }
        let liker = call.parameter("user_id")
        switch try await likes.answer(answer, of: person.id, to: liker, tenant: person.tenant) {
        case .unknown: throw Problem(.notFound)
        case .recorded: break
        // The list of the liker shows the match too, if this person is in it.
        case .matched: context.announce(Likes.name, [person, RecipientKey(tenant: person.tenant, id: liker)])
        }
        return ServerResponse(.ok)
    }

    private func start(_ call: some PersonCall) async throws -> ServerResponse {
        let person = try call.person
        let seconds = FeatureSetting.unblurDuration.number(in: context.catalogues.current.catalogue)
        return unblur(try await likes.startUnblur(of: person.id, tenant: person.tenant, seconds: seconds))
    }

    private func state(_ call: some PersonCall) async throws -> ServerResponse {
        let person = try call.person
        return unblur(try await likes.unblur(of: person.id, tenant: person.tenant))
    }

    private func unblur(_ unblur: Unblur) -> ServerResponse {
        .json { json in
            json.beginObject()
            json.optional("expires_at", unblur.expiresAt?.milliseconds)
            json.member("is_active", unblur.isActive)
            json.endObject()
        }
    }
}
