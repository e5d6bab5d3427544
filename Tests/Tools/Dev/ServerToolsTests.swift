import Testing

@testable import PrivateServers

@Suite struct ServerToolsTests {
    @Test("a missing tool is named with the package that brings it, before anything is made")
    func missingTools() async throws {
        let all = ToolFolders.ofThisMachine()
        let cases: [(name: String, package: String, folders: ToolFolders)] = [
            ("initdb", "postgresql", ToolFolders(postgres: [], rabbit: all.rabbit, path: ["/nowhere"])),
            ("rabbitmq-server", "rabbitmq-server", ToolFolders(postgres: all.postgres, rabbit: [], path: ["/nowhere"])),
            ("erl", "erlang-base", ToolFolders(postgres: all.postgres, rabbit: all.rabbit, path: ["/nowhere"])),
            ("erl", "erlang-base", ToolFolders(postgres: all.postgres, rabbit: all.rabbit, path: [])),
        ]
        for (name, package, folders) in cases {
            let home = "/tmp/tidings-servers-never-made"
            let error = await #expect(throws: PrivateServersError.self) {
                try await PrivateServers.start(home: home, fresh: false, folders: folders, say: { _ in })
            }
            guard case .missingTool(name, package, _) = error else {
                Issue.record("expected \(name), got \(String(describing: error))")
                continue
            }
            #expect(error?.description.contains("deploy/install, or: sudo apt-get install \(package)") == true)
            #expect(!Folder.isFolder(home))
        }
    }

    @Test("Debian's wrappers in PATH are not taken for RabbitMQ's own scripts")
    func wrappers() throws {
        var folders = ToolFolders.ofThisMachine()
        folders.path.insert("/usr/sbin", at: 0)
        #expect(try ServerTools.find(in: folders).rabbitFolder == "/usr/lib/rabbitmq/bin")
        folders.rabbit = []
        #expect(throws: PrivateServersError.self) { try ServerTools.find(in: folders) }
    }
}
