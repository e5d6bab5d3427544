import Logging
import TidingsAMQP
import TidingsCatalogue
import TidingsCore
import TidingsStore

/// The rule by which routers believe a message about its producer and its ids: its user is theirs, or the catalogue lets the user vouch.
enum BrokerTrust {
    /// The users among `routers` that do not believe messages of `publisher`. Names are compared by bytes, as routers do.
    static func doubting(_ publisher: String, among routers: [String], vouching: [String]) -> [String] {
        func isPublisher(_ user: String) -> Bool { user.utf8.elementsEqual(publisher.utf8) }
        return vouching.contains(where: isPublisher) ? [] : routers.filter { !isPublisher($0) }
    }

    static func remedy(for user: String, of role: String) -> String {
        "Let the role \(role) use the AMQP user of the routers, or add its user to the catalogue: producers: {\(user): {vouches: true}}. "
            + "Every other producer then needs an entry too."
    }
}

extension Runtime {
    private var vouching: [String] { catalogues.current.catalogue.producers.filter(\.value.vouches).map(\.key) }

    /// Throws a ``Failure`` if a running router would not believe the API: notifications would get other ids than the API answers. The exit
    /// code is 75, because a later start succeeds when the catalogue lets the user vouch, or when the routers have the same user.
    package func requireTrustInAPI() async throws {
        let routers = try await store.upkeep.brokerUsers(of: ["router", "all"])
        guard let router = BrokerTrust.doubting(amqp.user, among: routers, vouching: vouching).first else { return }
        throw Failure(
            .timedOut, "\(Settings.amqpName): routers run as the AMQP user \(router), and do not believe the user \(amqp.user)",
            hint: BrokerTrust.remedy(for: amqp.user, of: "api"))
    }

    /// Logs which running processes the routers do not believe, if this process is one of the two. An API that started before its routers
    /// could not know them.
    func tellDistrust(isRouter: Bool, isReleaser: Bool) async {
        do {
            if isRouter {
                for user in try await store.upkeep.brokerUsers(of: ["api"]) { tellDistrust(of: user, by: [amqp.user], role: "api") }
            }
            guard !catalogues.current.catalogue.producers.isEmpty else { return }
            if isRouter {
                for user in try await store.upkeep.brokerUsers(of: ["release"]) { tellDistrust(of: user, by: [amqp.user], role: "release") }
            }
            if isReleaser {
                tellDistrust(of: amqp.user, by: try await store.upkeep.brokerUsers(of: ["router", "all"]), role: "release")
            }
        } catch {
            logger.warning("cannot look whether routers believe the other roles", metadata: ["error": "\(error)"])
        }
    }

    private func tellDistrust(of publisher: String, by routers: [String], role: String) {
        guard let router = BrokerTrust.doubting(publisher, among: routers, vouching: vouching).first else { return }
        let hint = BrokerTrust.remedy(for: publisher, of: role)
        logger.error(
            "routers do not believe the messages of a role",
            metadata: ["role": "\(role)", "user": "\(publisher)", "routers": "\(router)", "hint": "\(hint)"])
    }
}
