package import TidingsAMQP

/// The version of the broker, as it says in the handshake.
package struct BrokerVersion: Sendable, CustomStringConvertible {
    /// The oldest version of RabbitMQ that dead-letters a quorum queue at least once. An older one takes the same declaration, and loses
    /// messages that were returned too often.
    static let oldest = (major: 3, minor: 10)

    package let description: String
    /// Nil if the broker is another product, or its version cannot be read.
    private let number: (major: Int, minor: Int)?

    init(product: String?, version: String?) {
        let product = product ?? "RabbitMQ"
        description = version.map { "\(product) \($0)" } ?? product
        let parts = (version ?? "").split(separator: ".").map { Int($0.prefix(while: \.isNumber)) }
        number = if product == "RabbitMQ", parts.count >= 2, let major = parts[0], let minor = parts[1] { (major, minor) } else { nil }
    }

    /// - Parameter properties: the broker's properties from the handshake, ``AMQPControl/serverProperties()``.
    package init(_ properties: [String: AMQPValue]) {
        func text(_ name: String) -> String? {
            if case .string(let text)? = properties[name] { text } else { nil }
        }
        self.init(product: text("product"), version: text("version"))
    }

    /// The fault in words. Nil if the version is new enough.
    package var fault: String? {
        guard let number, number < Self.oldest else { return nil }
        return "the broker is \(description), and Tidings needs RabbitMQ \(Self.oldest.major).\(Self.oldest.minor) or newer"
    }

    package static let remedy = "Upgrade RabbitMQ before you declare a queue on it."

    /// Throws a ``Failure`` with exit code 78 if the broker is too old. Ask before the first declaration: RabbitMQ never changes a queue.
    package static func check(_ control: AMQPControl) async throws {
        if let fault = BrokerVersion(try await control.serverProperties()).fault { throw Failure(.config, fault, hint: remedy) }
    }
}
