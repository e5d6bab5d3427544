import ArgumentParser
import Testing

@testable import TidingsCommands
@testable import TidingsServer

/// The cost of missing names for the start of every command.
@Suite struct CommandNameTests {
    /// Without a given name, a command's name is made from its type by a search of all conformances. For 31 commands this was a quarter of
    /// the time in which any command starts.
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
