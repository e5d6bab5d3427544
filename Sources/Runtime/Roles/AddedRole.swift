package import TidingsCore

/// A role of a target above this one, such as the API. The executable links it or leaves it out.
package protocol AddedRole: Sendable {
    /// The role's name in `tidings_ops.workers.role`.
    var name: String { get }
    /// Works until ``stop()``.
    func run() async throws
    /// Asks the role to stop. Returns at once or after the first steps of the stop.
    func stop() async
}

/// Makes the role of the HTTP API. A binary without the API has none.
public struct APIRoleMaker: Sendable {
    /// The bounds of the API, for `tidings config show`.
    package let bounds: [Bound]
    package let make: @Sendable (Runtime, APIOptions) async throws -> any AddedRole

    package init(bounds: [Bound], make: @escaping @Sendable (Runtime, APIOptions) async throws -> any AddedRole) {
        self.bounds = bounds
        self.make = make
    }
}

/// The way in which a process runs the API.
package struct APIOptions: Sendable {
    package var settings: APISettings
    /// Whether this is `tidings dev`: no rate limits, and a demo page.
    package var isDevelopment: Bool
    /// Called once with the address of the API, when it listens.
    package var whenListening: @Sendable (_ url: String) async -> Void

    package init(
        settings: APISettings, isDevelopment: Bool = false, whenListening: @escaping @Sendable (_ url: String) async -> Void = { _ in }
    ) {
        self.settings = settings
        self.isDevelopment = isDevelopment
        self.whenListening = whenListening
    }
}
