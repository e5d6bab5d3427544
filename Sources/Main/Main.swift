import Glibc
import TidingsCommands
import TidingsServer

@main
enum Main {
    /// The main thread only waits. An async `main` would end the main thread.
    /// If no file descriptor is free at that moment, the end of the main thread kills the process with a signal.
    static func main() {
        RuntimeDescriptors.open()
        Task.detached {
            await TidingsTool.main(
                CommandContext(providers: ProviderRegistry(linkedProviders), api: linkedAPI), first: firstCommands,
                additional: linkedCommands)
        }
        while true { pause() }
    }
}
