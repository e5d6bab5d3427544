import Testing

/// Arrows between targets point down.
@Suite struct ImportTests {
    /// Targets that only tests link.
    private static let testOnly: Set = ["TidingsTestSupport"]
    private static let headers: Set = [
        "CRabbitMQ", "CLibpq", "CCurl", "CCrypto", "CNGHTTP2", "CTLS", "CSpawn", "CSchemaFiles", "CPageFiles",
    ]

    @Test func coreImportsNothing() throws {
        for file in try Repository.files(below: "Sources/Core") {
            #expect(file.imports.isEmpty, "\(file.path) imports \(file.imports.map(\.module))")
        }
    }

    @Test func headersStayInside() throws {
        for file in try Repository.files(below: "Sources") {
            for (index, module, line) in file.imports where Self.headers.contains(module) {
                let words = line.split(separator: " ")
                #expect(words.first == "import" || words.first == "internal", "\(file.place(index)) shows \(module) to other modules")
            }
        }
    }

    /// A production build without the trait Capture must not hold the server.
    @Test func onlyCaptureAndTestsImportTheHTTP2Server() throws {
        for file in try Repository.files(below: "Sources") where !["TidingsCapture", "TidingsTestSupport"].contains(file.target) {
            for (index, module, _) in file.imports where module == "TidingsHTTP2Server" {
                Issue.record("\(file.place(index)) imports \(module), which only capture and tests may")
            }
        }
    }

    /// The picture in Package.swift is the truth: a target imports only lower lines, never its own.
    @Test func importsFollowThePicture() throws {
        let lines = try Self.picture()
        try #require(lines.count > 15)
        for file in try Repository.files(below: "Sources") where !Self.testOnly.contains(file.target) {
            guard let own = lines[file.target] else {
                Issue.record("\(file.target) is not in the picture of Package.swift")
                continue
            }
            for (index, module, _) in file.imports {
                #expect(!Self.testOnly.contains(module), "\(file.place(index)) imports \(module), which only tests may")
                guard let other = lines[module] else { continue }
                #expect(other < own, "\(file.place(index)): \(file.target) (line \(own)) imports \(module) (line \(other))")
            }
        }
    }

    /// The line of each target: `//   3  TidingsStore  TidingsProvider`, continued without a number. The word `modules` is each module.
    private static func picture() throws -> [String: Int] {
        var lines: [String: Int] = [:]
        var current: Int?
        for line in try Repository.text("Package.swift").split(separator: "\n").prefix(while: { !$0.hasPrefix("let ") }) {
            guard line.hasPrefix("//  ") else { continue }
            var words = line.dropFirst(2).split(separator: " ").map(String.init)
            if let number = words.first.flatMap({ Int($0) }) {
                current = number
                words.removeFirst()
            }
            for name in words { lines[name] = current }
        }
        for name in Repository.modules { lines["Tidings\(name)"] = lines["modules"] }
        return lines
    }
}
