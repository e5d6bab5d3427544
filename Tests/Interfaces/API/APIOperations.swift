import Logging
import TidingsModules
import TidingsStore
import TidingsTestSupport
import TidingsWeb

@testable import TidingsAPI
@testable import TidingsServer

/// The operations of a process of the API. The process connects to a system of its own and listens, then it stops.
func apiOperations() async throws -> [TidingsAPI.Operation] {
    try await withTestSystem { system in
        let environment = system.environment.merging(["TIDINGS_API_LISTEN": "127.0.0.1:0", "TIDINGS_API_JWKS": ""]) { _, new in new }
        let runtime = try await Runtime(
            settings: Settings(environment: environment), providers: ProviderRegistry([]), modules: Modules(Modules.builtIn),
            logger: Logger(label: "contract"))
        let listening = AsyncStream.makeStream(of: Void.self)
        guard let settings = try APISettings(environment: environment, standardListen: nil) else { return [] }
        // Development: with the demo page, which the document has.
        let options = APIOptions(settings: settings, isDevelopment: true) { _ in listening.continuation.finish() }
        let role = try await APIRole(runtime, options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // The role beside the wait for it. The stop below ends it.
            group.addTask { try await role.run() }
            for await _ in listening.stream {}
            await role.stop()
            try await group.waitForAll()
        }
        await runtime.close()
        return role.table.operations
    }
}
