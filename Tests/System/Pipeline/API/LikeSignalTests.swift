import Testing
import TidingsJSON
import TidingsTestSupport

/// Streams tell both people of a match.
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
}
