import Testing
import TidingsCore
import TidingsJSON
import TidingsStore
import TidingsTestSupport

/// The rows that tests make up for a reader, and the comments with which they compare it.
@Suite struct MadeUpRowTests {
    private struct Row {
        let name: String
        let count: Int?
        let isOpen: Bool
        let seenAt: Timestamp
        let id: NotificationID
        let rules: [String]?
        let word: ErasureStep

        init(_ row: JSON) throws {
            name = try row.column("name")
            count = try row.column("count")
            isOpen = try row.column("open")
            seenAt = try row.column("seen")
            id = try row.column("id")
            rules = try row.column("rules")
            let text: String = try row.column("word")
            guard let word = ErasureStep(rawValue: text) else { throw Unknown(text: text) }
            self.word = word
        }
    }

    private struct Unknown: Error {
        let text: String
    }

    private static let word = JSON.string(ErasureStep.transactions.rawValue)

    @Test func eachColumnThatTheReaderAsksForIsFound() throws {
        var known = JSONObject()
        known["word"] = Self.word
        known["of_an_operator"] = 1
        let row = try MadeUpRow(known) { _ = try Row($0) }
        #expect(row.members.keys == ["name", "count", "open", "seen", "id", "rules", "word", "of_an_operator"])
        #expect(row.nullable == ["count", "rules"])
        #expect(row.json["word"] == Self.word && row.json["open"] == true && row.json["count"] == 1)
        _ = try Row(row.json)
    }

    @Test func anErrorOfAnotherKindIsThrown() throws {
        let error = #expect(throws: Unknown.self) { _ = try MadeUpRow { _ = try Row($0) } }
        #expect(error?.text == "text")
    }

    @Test func theCommentOfAColumnNamesNull() {
        let comments = ViewComments(
            """
            COMMENT ON COLUMN tidings_ops.queues.packs IS 'Number of packs. Null if there is none.';

            COMMENT ON COLUMN tidings_ops.queues.queue IS 'The operator''s name; nullable is another word.';
            COMMENT ON COLUMN tidings.packs.claim IS 'Null.';
            """)
        #expect(comments.namesNull("packs", of: "queues") == true)
        #expect(comments.namesNull("queue", of: "queues") == false)
        #expect(comments.namesNull("claim", of: "packs") == nil)
    }
}
