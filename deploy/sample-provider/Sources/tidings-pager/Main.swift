import ProviderPager
import TidingsCommands
import TidingsDev
import TidingsServer

@main
enum Main {
    static func main() async {
        let providers = ProviderRegistry([PagerProviderFactory.self])
        await TidingsTool.main(CommandContext(providers: providers), first: [DevCommand.self])
    }
}
