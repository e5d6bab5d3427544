import Testing
import TidingsJSON
import TidingsTestSupport

/// Streams tell the people of their likes.
@Suite struct LikeSignalTests {
    @Test func aMatchIsToldToBothPeople() async throws {
        try await withAPI { api in
            let (ada, bo) = (try StreamReader(api, person: "ada"), try StreamReader(api, person: "bo"))
            for stream in [ada, bo] { #expect(try await stream.next("inbox") != nil) }
            let like = event(id: "of-ada", type: "like", to: "ada", data: #""data":{"userId":"bo"}"#)
            await api.pipeline.publish(like, key: "social.like")
            #expect(try await ada.next("likes")?["new"] == 1)

            let answer = try await api.ask("ada", "POST", "/likes/bo/action", body: #"{"action":"like"}"#)
            #expect(answer.status == 200 && answer.text.isEmpty, "\(answer.text)")
            for stream in [ada, bo] { #expect(try await stream.next("likes")?["new"] == 0) }
            let list = try await api.ask("ada", "GET", "/likes").json
            #expect(list["data"]?.arrayValue?.map { $0["status"] } == [1], "\(list)")
            #expect(try await api.ask("ada", "POST", "/likes/nobody/action", body: #"{"action":"like"}"#).status == 404)
            for path in ["/configuration/features", "/unblur/state"] { #expect(try await api.ask("ada", "GET", path).status == 200) }
            #expect(try await api.ask("ada", "POST", "/unblur/start").json["is_active"] == true)
        }
    }

    @Test func aClientThatReconnectsHearsOfALikeOnce() async throws {
        try await withAPI { api in
            let first = try StreamReader(api, person: "ada")
            #expect(try await first.next("inbox") != nil)
            let last = try #require(first.lastEventID)
            let like = event(id: "of-ada", type: "like", to: "ada", data: #""data":{"userId":"bo"}"#)
            await api.pipeline.publish(like, key: "social.like")
            #expect(try await first.next("likes")?["new"] == 1)

            let stream = try StreamReader(api, person: "ada", lastEventID: last)
            #expect(try await stream.next("inbox")?["reset"] == false)
            #expect(try await stream.next("likes")?["new"] == 1)
            // The id of the event of likes has both positions: no like is told as new twice. The signal of the like may come only now. Then
            // the stream tells of a change without new likes.
            let again = try StreamReader(api, person: "ada", lastEventID: try #require(stream.lastEventID))
            #expect(try await again.next("inbox")?["reset"] == false)
            let heard = try await withoutPlace { await again.heard(untilHeartbeats: 1) }
            #expect(heard.allSatisfy { $0.name == "inbox" || $0.name == "likes" && $0.data["new"] == 0 }, "\(heard)")
        }
    }
}
