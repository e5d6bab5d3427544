import TidingsAMQP
import TidingsCore
import TidingsPostgres

@testable import TidingsHTTP

/// Addresses that people write: a webhook, an e-mail address and a telephone number of a person, the URLs of broker and database, blocks of
/// addresses.
struct AddressFuzz: FuzzTarget {
    static let name = "addresses"
    let corpus: [[UInt8]]
    private let mutator: ByteMutator
    private let guarding = AddressGuard(allowedSchemes: ["http", "https"], allowedPorts: nil)

    init() {
        corpus = Self.texts.map { Array($0.utf8) } + [Array(("https://" + String(repeating: "a.", count: 4_000)).utf8)]
        mutator = ByteMutator(corpus: Self.texts.map { Array($0.utf8) }, words: Self.words)
    }

    func input(_ random: inout FuzzRandom) -> [UInt8] { mutator.mutated(&random) }
    func bytes(of input: [UInt8]) -> [UInt8] { input }

    func feed(_ input: [UInt8]) throws -> FuzzVerdict {
        let text = String(decoding: input, as: UTF8.self)
        let taken = [try isTarget(text), try isBroker(text), try isDatabase(text), try isBlock(text), try isPersonal(text)]
        return taken.contains(true) ? .accepted : .refused
    }

    private func isTarget(_ text: String) throws -> Bool {
        switch HTTPTarget.parse(text, guarding: guarding) {
        case .failure(let failure):
            try require(!failure.requestMayHaveArrived && !failure.message.isEmpty, "a URL that is refused was sent to")
            return false
        case .success(let target):
            try require(target.url.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "the URL for libcurl has more than printable ASCII")
            try require(!target.host.isEmpty && !target.host.contains { "@/?#\\[] ".contains($0) }, "the host is \(target.host)")
            try require(
                target.pathAndQuery.hasPrefix("/") && target.port > 0, "the path is \(target.pathAndQuery), the port \(target.port)")
            let again = HTTPTarget.parse(target.url, guarding: guarding)
            // The target's URL spells out the port of its scheme, which may make the URL too long.
            if target.url.utf8.count <= HTTPTarget.maximumURLBytes {
                try require(again == .success(target), "put together it is another URL")
            }
            return true
        }
    }

    private func isBroker(_ text: String) throws -> Bool {
        let parsed = Result { () throws(AMQPError) in try AMQPConfiguration(url: text) }
        switch parsed {
        case .success(let configuration):
            try require(configuration.nodes.allSatisfy { 1...65_535 ~= $0.port && !$0.host.isEmpty }, "\(configuration)")
            for part in configuration.nodes.map(\.host) + [configuration.user, configuration.password, configuration.virtualHost] {
                try require(!part.utf8.contains(0), "a NUL, which would cut a text of C short")
            }
            return true
        case .failure(.invalidURL): return false
        case .failure(let error): throw BrokenProperty(description: "an error that a URL cannot mean: \(error)")
        }
    }

    private func isDatabase(_ text: String) throws -> Bool {
        let parsed = Result { () throws(PostgresError) in try PostgresConfiguration(url: text) }
        guard case .success(let configuration) = parsed else { return false }
        try require(!configuration.description.isEmpty, "a configuration without a description")
        return true
    }

    private func isBlock(_ text: String) throws -> Bool {
        guard let block = CIDR(text) else { return false }
        try require(CIDR(block.description) == block, "\(block) is not what it was read from")
        try require(block.contains(block.first), "\(block) does not hold its first address")
        _ = AddressGuard().refusal(of: block.first)
        return true
    }

    /// A canonical form must be its own: otherwise one address would be stored twice.
    private func isPersonal(_ text: String) throws -> Bool {
        var isTaken = false
        for kind in AddressKind.allCases {
            guard let address = try? Address(kind, text) else { continue }
            isTaken = true
            try require((1...Address.longest).contains(address.value.utf8.count), "an address of \(address.value.utf8.count) bytes")
            try require(!address.value.contains { $0.isNewline }, "a line break, which would end a header")
            let again = try? Address(kind, address.identity)
            try require(again?.identity == address.identity, "the canonical form \(address.identity) has another one")
        }
        return isTaken
    }

    private static let texts: [String] = [
        "https://example.com/hook?x=1#y", "http://127.0.0.1:8080", "https://[2001:db8::1]:443/a/b", "HTTPS://EXAMPLE.COM",
        "https://user:pass@host/",
        "https://0x7f.1/", "https://2130706433/", "https://a_b-c.example:65535/%2e%2e/", "https://example.com\\@127.0.0.1/", "ftp://x",
        "https://",
        "amqp://user:p%40ss@host:5672/vhost?heartbeat=10&frame_max=131072", "amqps://[::1]/%2f?verify=verify_none&cacertfile=%2Fca.pem",
        "amqp://h", "amqp://u@a:5672,b,[::1]:5673/v",
        "amqps://host?server_name_indication=disable&connect_timeout=5", "postgres://u:p@h:5432/db?sslmode=verify-full&sslrootcert=x",
        "postgresql://h1,h2:5433/db", "postgres://%00@h/d", "10.0.0.0/8", "fc00::/7", "::ffff:1.2.3.4", "0.0.0.0/0", "1.2.3.4/33", "::/129",
        "Ann.Lee+news@Example.com", "a@xn--bcher-kva.example", "\"ann\"@example.com", "+1 (415) 555-01.23", "+44 (0)20 7946 0958",
    ]

    private static let words = [
        "https://", "amqp://", "postgres://", "://", "@", ":", "/", "?", "&", "=", "#", "[", "]", "%00", "%2f", "%zz", "%", "::", "0x7f",
        "..", "xn--",
        "heartbeat=", "frame_max=", "65536", "0", "\\", "host", "sslmode=", "+1", "(0)", ".com", "/32", "/128", "\u{212A}", "e\u{301}",
    ]
}
