import Testing
import TidingsCore
import TidingsJSON
import TidingsPostgres
import TidingsStore

@testable import TidingsLikes

/// The list of likes: pages, and the answer to an app that has a part of it.
@Suite struct LikesListTests {
    @Test func theNewestIsFirstWithItsFields() async throws {
        try await LikesScene.with { scene in
            try await scene.route([
                LikesScene.intent(
                    to: "ada",
                    data: ["userId": "bo", "name": "Bo", "photoURL": "https://cdn.example/bo.jpg", "serverIsBlurred": true]),
                LikesScene.intent(to: "ada", data: ["id": 42, "serverIsBlurred": "true"]),
                LikesScene.intent(to: "cy", data: ["userId": "bo"]),
            ])
            let page = try await scene.list("ada")
            #expect(page.likes.map(\.id) == ["42", "bo"] && page.nextCursor == nil && !page.isReset)
            let bo = try #require(page.likes.last)
            #expect(bo.name == "Bo" && bo.photoURL == "https://cdn.example/bo.jpg" && bo.serverIsBlurred && bo.status == .incoming)
            #expect(abs((scene.store.clock.now() - bo.createdAt) / .seconds(1)) < 60)
            let other = try #require(page.likes.first)
            #expect(other.name == nil && other.photoURL == nil && other.serverIsBlurred)
            #expect(try await scene.list("nobody").likes.isEmpty)
        }
    }

    /// A member that is null or empty counts as absent. A number keeps all its digits.
    @Test(arguments: [
        (#"{"userId": null, "id": "u9"}"#, "u9"), (#"{"userId": "", "id": "u9"}"#, "u9"), (#"{"userId": "u8", "id": "u9"}"#, "u8"),
        (#"{"userId": 12345678901234567890}"#, "12345678901234567890"), (#"{"userId": null, "id": 4.20e1}"#, "42"),
        (#"{"userId": -9223372036854775809}"#, "-9223372036854775809"),
    ])
    func theLikerIsTheFirstMemberThatIsPresent(data: String, liker: String) async throws {
        try await LikesScene.with { scene in
            var intent = LikesScene.intent(to: "ada", data: [:])
            intent.content.data = data
            try await scene.route([intent])
            #expect(try await scene.list("ada").likes.map(\.id) == [liker])
        }
    }

    /// Any value that does not say "not blurred" hides the picture.
    @Test func onlyFalseOrAbsenceIsNotBlurred() async throws {
        let shown: [JSON] = [false, "false", "", .null]
        let blurred: [JSON] = [true, "true", "True", "TRUE", "yes", "1", 1, 0, [], [:]]
        try await LikesScene.with { scene in
            let values = shown + blurred
            try await scene.route(
                values.enumerated().map { index, value in
                    LikesScene.intent(to: "ada", data: ["userId": .string("u\(index)"), "serverIsBlurred": value])
                })
            let likes = try await scene.list("ada", limit: values.count).likes
            #expect(likes.reversed().map(\.serverIsBlurred) == shown.map { _ in false } + blurred.map { _ in true })
        }
    }

    /// Likes that cannot be listed are notifications all the same.
    @Test(arguments: [
        #"{}"#, #"{"userId": ""}"#, #"{"userId": "ada"}"#, #"{"userId": [1]}"#, #"{"userId": 1.5}"#, #"{"userId": null}"#,
        #"{"userId": null, "id": ""}"#, #"{"userId": true, "id": "bo"}"#, #"{"userId": "bo\n"}"#, #"{"userId": " "}"#, #"{"id": "\u007f"}"#,
        #"{"userId": "\#(String(repeating: "b", count: 257))"}"#,
    ])
    func anIntentWithoutALikerIsNoLike(data: String) async throws {
        try await LikesScene.with { scene in
            var intent = LikesScene.intent(to: "ada", data: [:])
            intent.content.data = data
            try await scene.route([intent])
            #expect(try await scene.list("ada").likes.isEmpty)
            #expect(try await scene.count("select count(*) from tidings.notifications") == 1)
        }
    }

    /// New likes arrive between the pages, and likes of likers that are listed already.
    @Test func pagesNeitherRepeatNorLeaveOut() async throws {
        try await LikesScene.with { scene in
            let first = (0..<45).map { "liker-\($0)" }
            try await scene.like("ada", by: first)
            var (seen, request): ([String], LikesRequest?) = ([], .latest)
            while let next = request {
                let page = try await scene.list("ada", next, limit: 7)
                seen += page.likes.map(\.id)
                request = page.nextCursor.map { .older(than: $0) }
                try await scene.like("ada", by: ["new-\(seen.count)", "liker-3", "liker-44"])
            }
            #expect(seen == first.reversed())
        }
    }

    @Test func aLimitIsBroughtIntoItsBounds() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: (0..<120).map(String.init))
            #expect(try await scene.list("ada").likes.count == 20)
            #expect(try await scene.list("ada", limit: 1_000).likes.count == 100)
            #expect(try await scene.list("ada", limit: 0).likes.count == 1)
        }
    }

    @Test(arguments: [0, 1, 49, 50, 51]) func newerLikesComeWholeOrTheListIsReset(newer: Int) async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: ["older", "known"])
            try await scene.like("ada", by: (0..<newer).map { "new-\($0)" })
            let page = try await scene.list("ada", .newer(than: "known"), limit: 10)
            if newer < 50 {
                #expect(page.likes.map(\.id) == (0..<newer).reversed().map { "new-\($0)" } && !page.isReset && page.nextCursor == nil)
            } else {
                #expect(page.likes.map(\.id) == (newer - 10..<newer).reversed().map { "new-\($0)" } && page.isReset)
                let cursor = try #require(page.nextCursor)
                #expect(try await scene.list("ada", .older(than: cursor), limit: 1).likes.map(\.id) == ["new-\(newer - 11)"])
            }
        }
    }

    @Test func anUnknownIdResetsTheList() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: "bo")
            try await scene.like("cy", by: "dee")
            let page = try await scene.list("ada", .newer(than: "dee"))
            #expect(page.likes.map(\.id) == ["bo"] && page.isReset)
            #expect(try await scene.list("nobody", .newer(than: "bo")).isReset)
        }
    }

    /// The same liker again refreshes what the list shows, and moves nothing. In one batch the last like counts.
    @Test func theSameLikerHasOneRow() async throws {
        try await LikesScene.with { scene in
            try await scene.route([
                LikesScene.intent(to: "ada", data: ["userId": "bo", "name": "Bo", "photoURL": "https://a.example/1"]),
                LikesScene.intent(to: "ada", data: ["userId": "bo", "name": "Bob"]),
                LikesScene.intent(to: "cy", data: ["userId": "bo", "name": "Bo", "photoURL": "https://a.example/1"]),
                LikesScene.intent(to: "ada", data: ["userId": "cy"]),
            ])
            #expect(try await scene.answer(.pass, of: "ada", to: "bo") == .recorded)
            try await scene.route([
                LikesScene.intent(to: "ada", data: ["userId": "bo", "serverIsBlurred": true]),
                LikesScene.intent(to: "cy", data: ["userId": "bo", "name": "", "photoURL": ""]),
            ])
            let other = try #require(try await scene.list("cy").likes.first)
            #expect(other.name == "Bo" && other.photoURL == "https://a.example/1")
            let likes = try await scene.list("ada").likes
            #expect(likes.map(\.id) == ["cy", "bo"])
            #expect(likes.last?.name == "Bob" && likes.last?.serverIsBlurred == true && likes.last?.status == .passed)
        }
    }

    /// Two batches at the same time hold likes of the same people, in opposite orders.
    @Test func batchesAtTheSameTimeKeepAllLikes() async throws {
        try await LikesScene.with { scene in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for batch in 0..<6 {
                    let people = batch.isMultiple(of: 2) ? ["ada", "bo", "cy"] : ["cy", "bo", "ada"]
                    // The group awaits every batch.
                    group.addTask {
                        try await scene.route(
                            people.flatMap { person in
                                (0..<10).map { LikesScene.intent(to: person, data: ["userId": .string("\(batch)-\($0)")]) }
                            })
                    }
                }
                try await group.waitForAll()
            }
            for person in ["ada", "bo", "cy"] {
                #expect(Set(try await scene.list(person, limit: 100).likes.map(\.id)).count == 60)
            }
            #expect(try await scene.count("select count(*) from tidings.likes where position between 1 and 60") == 180)
        }
    }

    @Test func aCursorIsReadBackAndNothingElseIs() throws {
        for position in [0, 1, 77, Int64.max] {
            #expect(LikesCursor(LikesCursor(position: position).description)?.position == position)
        }
        for text in ["", "1", "AQ", "AgAAAAAAAAAB", "Af__________", "AQAAAAAAAAAB ", "AQAAAAAAAAABAA"] { #expect(LikesCursor(text) == nil) }
        #expect(throws: LikesRequest.Problem.malformedCursor) { try LikesRequest(cursor: "x", sinceID: nil) }
        #expect(throws: LikesRequest.Problem.cursorWithSinceID) { try LikesRequest(cursor: "", sinceID: "bo") }
        #expect(try LikesRequest(cursor: "", sinceID: nil) == .latest)
        #expect(try LikesRequest(cursor: nil, sinceID: "bo") == .newer(than: "bo"))
    }
}
