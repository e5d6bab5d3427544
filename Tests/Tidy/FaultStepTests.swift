import Testing

/// A step that nobody passes would make a test wait for a death that never comes.
@Suite struct FaultStepTests {
    @Test func everyStepIsPassedOnce() throws {
        let files = try Repository.files(below: "Sources")
        let declaration = try #require(files.first { $0.path.hasSuffix("/FaultStep.swift") })
        let steps = declaration.lines.filter { $0.hasPrefix("    case ") }.map { $0.dropFirst(9) }
        try #require(steps.count > 10)
        for step in steps {
            let places = files.flatMap { file in
                file.code.filter { $0.text.contains("reach(.\(step)") && file.path != declaration.path }.map { file.place($0.index) }
            }
            #expect(places.count == 1, "\(step) is passed at \(places)")
        }
    }

    /// Production code has no other way to die on purpose.
    @Test func onlyDebugBuildsHaveTheMeans() throws {
        #expect(try Repository.text("Package.swift").contains(#".define("TIDINGS_FAULT_HOOKS", .when(configuration: .debug))"#))
    }
}
