import Testing
import TidingsJSON
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

@testable import TidingsLikes

/// Answers to likes, and the matches that follow.
@Suite struct LikeAnswerTests {
    @Test func anAnswerToNobodyIsUnknown() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: "bo")
            for answer in LikeAnswer.allCases {
                #expect(try await scene.answer(answer, of: "ada", to: "cy") == .unknown)
                // Bo has liked Ada, so Ada may answer and Bo may not.
                #expect(try await scene.answer(answer, of: "bo", to: "ada") == .unknown)
                #expect(try await scene.likes.answer(answer, of: "ada", to: "bo", tenant: "acme") == .unknown)
            }
            #expect(try await scene.count("select count(*) from tidings.matches") == 0)
        }
    }

    @Test func aLikeOfALikeIsAMatchOnce() async throws {
        try await LikesScene.with { scene in
            try await scene.route([
                LikesScene.intent(to: "ada", data: ["userId": "bo", "name": "Bo", "photoURL": "https://a.example/bo"]),
                LikesScene.intent(to: "bo", data: ["userId": "ada", "name": "Ada"]),
            ])
            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .matched)
            for (person, liker) in [("ada", "bo"), ("bo", "ada"), ("ada", "bo")] {
                #expect(try await scene.answer(.like, of: person, to: liker) == .recorded)
            }
            #expect(try await scene.status(of: "bo", for: "ada") == .mutual)
            #expect(try await scene.status(of: "ada", for: "bo") == .mutual)

            let events = try await scene.outgoing()
            #expect(
                events.map { $0["type"] } == ["match", "match"] && events.map { $0["source"] } == ["/tidings/likes", "/tidings/likes"])
            #expect(
                events.map { $0["data"]?["recipient"] } == ["ada", "bo"] && Set(events.compactMap { $0["id"]?.stringValue }).count == 2)
            #expect(
                events.map { $0["data"]?["data"] } == [
                    ["userId": "bo", "name": "Bo", "photoURL": "https://a.example/bo"], ["userId": "ada", "name": "Ada"],
                ])
        }
    }

    /// Only Bo has sent a like. The like that Ada's backend sends later is mutual at once.
    @Test func oneLikeAndItsAnswerAreEnough() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: "bo")
            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .matched)
            #expect(try await scene.outgoing().map { $0["data"]?["data"] } == [["userId": "bo"], ["userId": "ada"]])
            try await scene.like("bo", by: "ada")
            #expect(try await scene.status(of: "ada", for: "bo") == .mutual)
        }
    }

    @Test func twoAnswersAtTheSameTimeMakeOneMatch() async throws {
        try await LikesScene.with { scene in
            for pair in 0..<12 {
                let (one, other) = ("one-\(pair)", "other-\(pair)")
                try await scene.route([
                    LikesScene.intent(to: one, data: ["userId": .string(other)]),
                    LikesScene.intent(to: other, data: ["userId": .string(one)]),
                ])
                async let first = scene.answer(.like, of: one, to: other)
                async let second = scene.answer(.like, of: other, to: one)
                async let third = scene.answer(.like, of: one, to: other)
                let results = try await [first, second, third]
                #expect(results.filter { $0 == .matched }.count == 1 && !results.contains(.unknown))
            }
            #expect(try await scene.count("select count(*) from tidings.matches") == 12)
            #expect(try await scene.count("select count(*) from tidings.outgoing") == 24)
            #expect(try await scene.count("select count(distinct event_id) from tidings.outgoing") == 24)
        }
    }

    /// The projection takes no such liker any more, but rows of them may exist. No intent can tell such a liker of the match.
    @Test(arguments: ["bo\n", " ", "\u{7F}", String(repeating: "b", count: 257)])
    func aStoredLikerWhomNoIntentCanNameBlocksNoAnswer(liker: String) async throws {
        try await LikesScene.with { scene in
            _ = try await scene.system.query(
                """
                insert into tidings.likes (tenant, recipient_id, liker_id, position, notification_id, server_is_blurred, created_at)
                values (\(LikesScene.tenant), 'ada', \(liker), 1, gen_random_uuid(), false, tidings.clock())
                """)
            #expect(try await scene.answer(.like, of: "ada", to: liker) == .matched)
            #expect(try await scene.answer(.like, of: "ada", to: liker) == .recorded)
            #expect(try await scene.status(of: liker, for: "ada") == .mutual)
            #expect(try await scene.outgoing().map { $0["data"]?["recipient"] } == ["ada"])
        }
    }

    /// Name and picture came with different likes, so together they are larger than an event may be.
    @Test func aLongNameAndPictureBlockNoAnswer() async throws {
        try await LikesScene.with { scene in
            let long = JSON.string(String(repeating: "n", count: 200_000))
            try await scene.route([LikesScene.intent(to: "ada", data: ["userId": "bo", "name": long])])
            try await scene.route([LikesScene.intent(to: "ada", data: ["userId": "bo", "photoURL": long])])
            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .matched)
            #expect(try await scene.outgoing().map { $0["data"]?["data"] } == [["userId": "bo"], ["userId": "ada"]])
        }
    }

    @Test func aPersonWhoWasPassedMakesNoMatch() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: "bo")
            try await scene.like("bo", by: "ada")
            for _ in 0..<2 { #expect(try await scene.answer(.pass, of: "ada", to: "bo") == .recorded) }
            #expect(try await scene.answer(.like, of: "bo", to: "ada") == .recorded)
            #expect(try await scene.status(of: "bo", for: "ada") == .passed)
            #expect(try await scene.status(of: "ada", for: "bo") == .incoming)
            #expect(try await scene.count("select count(*) from tidings.outgoing") == 0)

            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .matched)
            #expect(try await scene.status(of: "ada", for: "bo") == .mutual)
        }
    }

    @Test func aPassAfterTheMatchIsOnlyThePersonsOwn() async throws {
        try await LikesScene.with { scene in
            try await scene.like("ada", by: "bo")
            try await scene.like("bo", by: "ada")
            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .matched)
            #expect(try await scene.answer(.pass, of: "ada", to: "bo") == .recorded)
            #expect(try await scene.status(of: "bo", for: "ada") == .passed)
            #expect(try await scene.status(of: "ada", for: "bo") == .mutual)
            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .recorded)
            #expect(try await scene.status(of: "bo", for: "ada") == .mutual)
            #expect(try await scene.count("select count(*) from tidings.outgoing") == 2)
        }
    }

    /// A catalogue without the type has no use for the intents. The match counts all the same.
    @Test func aMatchWithoutItsTypeSendsNothing() async throws {
        try await LikesScene.with { scene in
            _ = try await scene.system.query(
                "insert into tidings.catalogues (hash, yaml, applied_at) values ('h', 'types: {}', tidings.clock())")
            _ = try await scene.system.query(
                "insert into tidings.catalogue_types (hash, types) values ('h', array['like']) on conflict (hash) do update set types = excluded.types"
            )
            _ = try await scene.system.query("insert into tidings.active_catalogue (hash) values ('h')")
            try await scene.like("ada", by: "bo")
            #expect(try await scene.answer(.like, of: "ada", to: "bo") == .matched)
            #expect(try await scene.status(of: "bo", for: "ada") == .mutual)
            #expect(try await scene.count("select count(*) from tidings.outgoing") == 0)
        }
    }
}
