import ArgumentParser
import Testing

@testable import TidingsCommands
@testable import TidingsServer

/// What every command's start would pay for.
@Suite struct CommandNameTests {
    /// A name made from the type costs a search of all conformances, 31 of them a quarter of the start of any command.
    @Test func everyCommandSaysItsName() {
        var names: [String] = []
        var left: [any ParsableCommand.Type] = [Root.self]
        while let command = left.popLast() {
            let configuration = command.configuration
            #expect(configuration.commandName != nil, "\(command)")
            names.append(configuration.commandName ?? "")
            left += configuration.subcommands
        }
        #expect(names.count > 50 && names.contains("find"), "\(names)")
    }
}
