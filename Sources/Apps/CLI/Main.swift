import Glibc
import TidingsCommands
import TidingsServer

@main
enum Main {
    /// The main thread only waits. An async `main` would end it, and that ends the process with a signal where no file descriptor is free.
    static func main() {
        Task.detached {
            await TidingsTool.main(
                CommandContext(providers: ProviderRegistry(linkedProviders)), first: firstCommands, additional: linkedCommands)
        }
        while true { pause() }
    }
}
