import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// Requests to the operations of likes, with every role.
@Suite struct LikeRequestTests {
    /// The API has a login of its own, in the role that reads no secret and no content.
    @Test func aNarrowLoginServesEveryOperation() async throws {
        try await withAPI { scene in
            try await scene.withNarrowLogin { api in
                for person in ["bo", "cy"] {
                    let like = event(id: person, type: "like", to: "ada", data: #""data":{"userId":"\#(person)"}"#)
                    await api.pipeline.publish(like, key: "social.like")
                    _ = try await api.pipeline.outcome(of: person)
                }
                #expect(try await api.ask("ada", "GET", "/likes").json["data"]?.arrayValue?.count == 2)
                for (person, action) in [("bo", "like"), ("cy", "pass")] {
                    let answer = try await api.ask("ada", "POST", "/likes/\(person)/action", body: #"{"action":"\#(action)"}"#)
                    #expect(answer.status == 200, "\(answer.text)")
                }
                #expect(try await api.pipeline.system.count("select count(*) from tidings.matches") == 1)
                for (method, path) in [("GET", "/configuration/features"), ("POST", "/unblur/start"), ("GET", "/unblur/state")] {
                    let answer = try await api.ask("ada", method, path)
                    #expect(answer.status == 200, "\(path): \(answer.text)")
                }
                try await api.pipeline.expectSound()
            }
        }
    }

    @Test func aMissingActionIsNamed() async throws {
        try await withAPI { api in
            let refused = try await api.ask("ada", "POST", "/likes/bob/action", body: #"{"action":""}"#)
            #expect(refused.status == 422 && refused.json["errors"]?.arrayValue?.first?["pointer"] == "/action", "\(refused.text)")
        }
    }
}
