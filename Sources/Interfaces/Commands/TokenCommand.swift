import ArgumentParser
import TidingsCatalogue
import TidingsCore
import TidingsServer

/// Prints a token for a person, for `tidings dev` only.
struct TokenCommand: TidingsCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Print a token with which a person's app calls the API of tidings dev.",
        discussion: """
            Use it as the header "Authorization: Bearer TOKEN". In production your own login service signs the tokens of people: see \
            TIDINGS_API_JWKS.
            """)

    @Argument(help: "The person's id.") var recipient: String
    @Option var tenant = Intent.defaultTenant
    @Option(help: "How long the token is valid, such as 10m or 8h.") var expiresIn = "1h"
    @Option(help: "The folder of tidings dev.") var home = DevelopmentHome.defaultPath

    mutating func run(in context: CommandContext) async throws {
        try checkPerson(recipient, tenant: tenant)
        guard let duration = DurationText.parse(expiresIn), duration > .zero else {
            throw Failure(.data, "--expires-in \(expiresIn) is no duration", hint: "such as 90s, 10m, 8h or 30d")
        }
        let signer = try DevelopmentSigner(reading: home)
        Output.data(signer.token(for: recipient, tenant: tenant, validFor: duration))
    }
}
