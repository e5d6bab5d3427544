import Synchronization

/// The order in which new sessions try the hosts of a URL. All sessions of a configuration and of its copies share it.
///
/// libpq begins each attempt with the first host and remembers nothing. A first host that accepts connections and never answers would take
/// the whole time of every attempt. A host that failed, or that takes no writes, is therefore tried last for a while.
package final class HostOrder: Sendable {
    /// The parameters of libpq that name one host. A parameter that is nil stays as the URL and the environment have it.
    struct Host: Sendable, Hashable {
        var host: String?
        var address: String?
        var port: String?
    }

    /// The time for which a host is tried last. After it, a host that works again gets new sessions in the order of the URL.
    package static let avoidance: Duration = .seconds(30)

    /// The hosts in the order of the URL, at least one.
    let hosts: [Host]
    private let avoided = Mutex<[Int: ContinuousClock.Instant]>([:])

    private static let standardPort = "5432"

    /// Reads the lists of the URL, separated by commas. One port counts for all hosts, and an empty one is the standard. Lists of other
    /// lengths are left to libpq, which refuses them, and so are lists with an empty host: libpq takes an empty parameter as absent.
    ///
    /// - Parameter isForLibpq: whether libpq must see all hosts at once.
    init(host: String?, address: String?, port: String?, isForLibpq: Bool = false) {
        func list(_ text: String?) -> [String]? { text?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        let (names, addresses, ports) = (list(host), list(address), list(port))
        let count = max(names?.count ?? 0, addresses?.count ?? 0)
        let fits = [names, addresses, ports].allSatisfy { $0 == nil || $0?.count == count } || (ports?.count == 1 && addresses == nil)
        let isNamed = [names, addresses].allSatisfy { $0?.allSatisfy { !$0.isEmpty } ?? true }
        guard count > 1, fits, isNamed, !isForLibpq else {
            hosts = [Host()]
            return
        }
        hosts = (0..<count).map { index in
            let port = ports.map { $0.count == 1 ? $0[0] : $0[index] }
            return Host(host: names?[index], address: addresses?[index], port: port.map { $0.isEmpty ? Self.standardPort : $0 })
        }
    }

    /// The positions of the hosts in the order to try: first the hosts of the URL, then those to avoid, the longest avoided first.
    func order(at now: ContinuousClock.Instant = .now) -> [Int] {
        let avoided = avoided.withLock { $0.filter { now - $0.value < Self.avoidance } }
        let good = hosts.indices.filter { avoided[$0] == nil }
        return good + avoided.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
    }

    /// Notes that a host failed or takes no writes.
    func avoid(_ position: Int, at now: ContinuousClock.Instant = .now) { avoided.withLock { $0[position] = now } }

    /// Notes that a host gave a session that can be used.
    func trust(_ position: Int) { avoided.withLock { $0[position] = nil } }
}
