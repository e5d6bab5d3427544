import Glibc
import Testing

@testable import PrivateServers

@Suite struct PrivateFileTests {
    @Test("a secret is made once, hard to guess, and readable by its owner only")
    func secret() async throws {
        try await TestHome.with { home in
            let secret = try PrivateFile.secret("\(home.path)/one")
            #expect(secret.utf8.count == 32)
            #expect(try PrivateFile.secret("\(home.path)/one") == secret)
            #expect(try PrivateFile.secret("\(home.path)/two") != secret)
            var information = stat()
            #expect(stat("\(home.path)/one", &information) == 0)
            #expect(information.st_mode & 0o777 == 0o600)
        }
    }

    @Test("deleting a folder deletes a link in it, never what the link points to")
    func links() async throws {
        try await TestHome.with { home in
            try Folder.make("\(home.path)/a/b")
            try Folder.make("\(home.path)/kept")
            try PrivateFile.write("1", to: "\(home.path)/kept/file")
            #expect(symlink("\(home.path)/kept", "\(home.path)/a/b/link") == 0)
            try Folder.remove("\(home.path)/a")
            try Folder.remove("\(home.path)/a")
            #expect(try Folder.names(in: home.path) == ["kept"])
            #expect(PrivateFile.read("\(home.path)/kept/file") == "1")
        }
    }

    @Test("the end of a log, not all of it")
    func lastLines() async throws {
        try await TestHome.with { home in
            let lines = (1...1000).map { "line \($0)" }
            try PrivateFile.write(lines.joined(separator: "\n") + "\n", to: "\(home.path)/log")
            #expect(PrivateFile.lastLines(of: "\(home.path)/log") == lines.suffix(12).joined(separator: "\n"))
            #expect(PrivateFile.lastLines(of: "\(home.path)/none") == "")
        }
    }
}
