import Foundation
import Testing
import TidingsTestSupport

/// The guides publish many events. A reader who follows them in any order must not be refused with `idempotencyConflict`, so an event id
/// has one content on all pages.
@Suite struct DocumentedEventTests {
    @Test func anEventIDHasOneContentOnAllPages() throws {
        var contents: [String: Set<String>] = [:]
        for page in try Self.pages() {
            for (identity, content) in Self.commands(in: page) + Self.requests(in: page) + Self.programs(in: page) {
                contents[identity, default: []].insert(content)
            }
        }
        #expect(contents.count >= 8, "the events are not recognised any more: \(contents.keys.sorted())")
        for (identity, contents) in contents { #expect(contents.count == 1, "\(identity): \(contents.sorted())") }
    }

    private static func pages() throws -> [String] {
        let folder = TestSystem.repository.appendingPathComponent("Sources/Documentation.docc")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        let files = pages.map { folder.appendingPathComponent($0) } + [TestSystem.repository.appendingPathComponent("README.md")]
        return try files.map { try String(contentsOf: $0, encoding: .utf8) }
    }

    /// `tidings send … --id o-20`, whose source is that of the command line.
    private static func commands(in page: String) -> [(identity: String, content: String)] {
        page.matches(of: /tidings send [^\n]*--id ([^ \n]+)[^\n]*/).map { ("/tidings/cli \($0.1)", String($0.0)) }
    }

    /// `curl … -d '{"specversion": …}'`.
    private static func requests(in page: String) -> [(identity: String, content: String)] {
        page.matches(of: /'\{"specversion"[^\n']*'/).compactMap { identity(in: $0.output) }
    }

    /// A block in Python or Swift that publishes one event.
    private static func programs(in page: String) -> [(identity: String, content: String)] {
        page.matches(of: /(?s)```(?:python|swift)\n(.*?)```/).compactMap { identity(in: $0.1) }
    }

    private static func identity(in text: Substring) -> (identity: String, content: String)? {
        guard let source = text.firstMatch(of: /source"?: "([^"]+)"/), let id = text.firstMatch(of: /\bid"?: "([^"]+)"/) else { return nil }
        return ("\(source.1) \(id.1)", String(text))
    }
}
