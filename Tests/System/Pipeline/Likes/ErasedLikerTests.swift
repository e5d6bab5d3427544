import Testing
import TidingsJSON
import TidingsPostgres
import TidingsTestSupport

/// The erasure of a person who likes and is liked, with every role.
@Suite struct ErasedLikerTests {
    private static let eve = "eve-who-likes"

    private static func like(_ id: String, to recipient: String, by liker: String) -> String {
        event(id: id, type: "like", to: recipient, data: #""data":{"userId":"\#(liker)"}"#)
    }

    @Test func anErasureDeletesLikesInBothDirections() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            for (id, recipient, liker) in [("of-eve", Self.eve, "bob"), ("of-bob", "bob", Self.eve)] {
                await pipeline.publish(Self.like(id, to: recipient, by: liker), key: "social.like")
            }
            try #require(try await system.eventually("select count(*) from tidings.likes") { $0 == 2 })
            let done = try await pipeline.json("recipient", "erase", Self.eve, Pipeline.waitLimit)
            #expect(done["state"] == "done" && done["counts"]?["likes"] == 2, "\(done)")
            #expect(try await system.tables(with: Self.eve).isEmpty)
            try await pipeline.expectSound()
        }
    }

    /// A like would tell another person of the erased one.
    @Test func aLikeOfAnErasedPersonIsDropped() async throws {
        try await withPipeline { pipeline in
            let system = pipeline.system
            let erased = try await system.tidings("recipient", "erase", Self.eve, Pipeline.waitLimit)
            #expect(erased.exitCode == 0, "\(erased.errors)")
            await pipeline.publish(Self.like("of-bob", to: "bob", by: Self.eve), key: "social.like")
            #expect(try await system.eventually("select count(*) from tidings.erased_notifications") { $0 == 1 })
            #expect(try await system.tables(with: Self.eve).isEmpty)
            try await pipeline.expectSound()
        }
    }
}
