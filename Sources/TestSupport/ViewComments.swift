import Foundation

/// The comments on the columns of the views for operators, from the reviewed dump of the schema.
package struct ViewComments: Sendable {
    private let comments: [String: String]

    package init() throws {
        let file = TestSystem.repository.appendingPathComponent("Sources/Store/Schema/schema.dump.sql")
        let dump = try String(contentsOf: file, encoding: .utf8)
        self.init(dump)
    }

    /// - Parameter dump: the text of a dump. It has each comment on one line.
    package init(_ dump: String) {
        var comments: [String: String] = [:]
        for line in dump.split(separator: "\n") {
            guard let match = line.wholeMatch(of: /COMMENT ON COLUMN tidings_ops\.(\w+\.\w+) IS '(.*)';/) else { continue }
            comments[String(match.1)] = String(match.2)
        }
        self.comments = comments
    }

    /// Whether the comment says when the column is null. Nil for a column without a comment.
    package func namesNull(_ column: String, of view: String) -> Bool? {
        comments["\(view).\(column)"]?.contains(/\b[Nn]ull\b/)
    }
}
