import Testing

/// `exit` runs the end functions of all libraries while other threads of the process still use these libraries.
@Suite struct ExitTests {
    @Test func processesEndInOnePlace() throws {
        // Not the exit of a child, such as `child.exit(within: limit)`.
        let ends = /(?:^|[^A-Za-z0-9_.])(?:_exit|exit|quick_exit|abort|atexit)\((?!within)|\.exit\(withError|Glibc\.exit\(/
        var count = 0
        for file in try Repository.files(below: "Sources") {
            for (index, line) in file.code where line.contains(ends) && !line.contains("func exit(") {
                count += 1
                #expect(file.path.hasSuffix("/ProcessEnd.swift"), "\(file.place(index)) ends the process: use ProcessEnd.now(_:)")
            }
        }
        #expect(count == 1, "the call in ProcessEnd.swift is not recognised any more")
    }
}
