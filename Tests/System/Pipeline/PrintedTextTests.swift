import Testing
import TidingsJSON
import TidingsTestSupport

/// Text of strangers must not reorder what an operator reads. Programs get the text exactly.
@Suite struct PrintedTextTests {
    /// RIGHT-TO-LEFT OVERRIDE: a terminal shows the rest of the line backwards.
    private static let mark = "\u{202E}"

    @Test func nothingForPeopleReordersTheLine() async throws {
        try await withOwnSystem { system in
            let paused = try await system.tidings("pause", "channel", "sms", "--reason", "evil \(Self.mark)txt.exe")
            #expect(paused.exitCode == 0, "\(paused.errors)")
            let lost = "nobody\(Self.mark)1"
            for command in [["pause", "list"], ["status"], ["doctor"], ["find", lost], ["why", lost], ["recipient", "show", lost]] {
                let result = try await CommandLineTests.run(command, system.environment)
                for text in [result.output, result.errors] { #expect(!text.contains(Self.mark), "\(command): \(text)") }
            }
            let exact = try await CommandLineTests.run(["pause", "list", "-o", "json"], system.environment)
            #expect(try JSON.parse(exact.output).arrayValue?.first?["reason"]?.stringValue == "evil \(Self.mark)txt.exe")
        }
    }

    /// The printed catalogue is a file too: reading it again gives the same catalogue.
    @Test func aTemplateIsShownWithEscapes() async throws {
        let file = "types:\n  offer: {category: marketing, title: \"now \u{202E}50 %\", channels: [inApp]}\n"
        try await withOwnSystem { system in
            try await withFile(file) { path in
                let applied = try await system.tidings("catalogue", "apply", path, "--remove", "-o", "json")
                #expect(applied.exitCode == 0, "\(applied.errors)")
                let shown = try await system.tidings("catalogue", "show")
                #expect(!shown.output.contains(Self.mark) && shown.output.contains(#"now \u202e50 %"#), "\(shown.output)")
                try await withFile(shown.output) { again in
                    let difference = try await system.tidings("catalogue", "diff", again)
                    #expect(difference.exitCode == 0 && difference.output.isEmpty, "\(difference.output)\(difference.errors)")
                }
                try await withFile(file.replacing(Self.mark, with: "")) { plain in
                    let difference = try await system.tidings("catalogue", "diff", plain)
                    #expect(difference.exitCode == 1 && difference.output.contains(#"\u202e"#), "\(difference.output)")
                    #expect(!difference.output.contains(Self.mark))
                }
            }
        }
    }
}
