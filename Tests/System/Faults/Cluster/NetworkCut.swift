import Foundation
import Glibc
import TidingsTestSupport

/// A cut of the network between one loopback address and others: the kernel drops every packet between them, in both directions. Clients of
/// 127.0.0.1 notice nothing.
///
/// The rules go with ``heal()``, and when this process ends in any way: ``LastWill``.
struct NetworkCut: Sendable {
    /// Debian's names. A kernel may know the rules of only one of them.
    private static let programs = ["/usr/sbin/iptables", "/usr/sbin/iptables-nft", "/usr/sbin/iptables-legacy"]

    private let will: LastWill

    /// The program that may change the rules here. Nil if this process is not root, or if none is installed or works.
    static func program() async -> String? {
        guard geteuid() == 0 else { return nil }
        for program in programs where access(program, X_OK) == 0 {
            let list = try? TestProcess([program, "-w", "-n", "-L", "INPUT"], environment: ProcessInfo.processInfo.environment)
            let answer = await list?.finish()
            if answer?.exitCode == 0 { return program }
        }
        return nil
    }

    /// Cuts the network. Returns when no packet passes any more.
    init(between address: String, and others: [String], with program: String) async throws {
        let rules = others.flatMap { Self.rules(between: address, and: $0) }
        // The will is made first, and removes rules twice: a rule may come while this process dies.
        let removals = rules.map { "while \(program) -w -D INPUT \($0.joined(separator: " ")) 2>/dev/null; do :; done\n" }.joined()
        will = try LastWill("\(removals)sleep 0.2\n\(removals)")
        for rule in rules {
            let result = try await TestProcess(
                [program, "-w", "-I", "INPUT"] + rule, environment: ProcessInfo.processInfo.environment
            ).finish()
            guard result.exitCode == 0 else {
                await will.carryOut()
                throw TestSystemError(message: "\(program): \(result.errors)")
            }
        }
    }

    /// Removes the rules. Returns when they are gone.
    func heal() async { await will.carryOut() }

    /// The rules of a link, without the command and the chain.
    static func rules(between one: String, and other: String) -> [[String]] {
        [(one, other), (other, one)].map { ["-s", "\($0.0)/32", "-d", "\($0.1)/32", "-j", "DROP"] }
    }
}
