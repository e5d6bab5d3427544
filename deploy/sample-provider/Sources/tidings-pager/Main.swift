import ProviderPager
import TidingsServer

@main
enum Main {
    static func main() async {
        await TidingsTool.main(CommandContext(providers: ProviderRegistry([PagerProviderFactory.self])), additional: [])
    }
}
