/// The check of the users as which processes publish to routers.
extension Judgement {
    /// Routers must believe the API about ids and producers, and a releaser about producers if the catalogue names any.
    static func publishers(_ reading: SystemReading) -> [Finding] {
        guard let producers = reading.producers else { return [] }
        let running = reading.workers.filter { $0.state == .running }
        let routers = running.filter { ["router", "all"].contains($0.role) }.compactMap(\.brokerUser)
        // A process `all` is a router too, and publishes as its own user.
        let roles = [("api", "the ids that it promised and the producers"), ("release", "the producers")]
        return roles.flatMap { role, unheard -> [Finding] in
            guard role == "api" || producers.areNamed else { return [] }
            return running.filter { $0.role == role }.compactMap { worker -> Finding? in
                guard let user = worker.brokerUser else { return nil }
                let doubting = BrokerTrust.doubting(user, among: routers, vouching: producers.vouching)
                return doubting.first.map { router in
                    Finding(
                        "publishers", .error, .publisherNotBelieved,
                        "\(worker.id) publishes as \(user), and routers that run as \(router) ignore \(unheard) in its messages",
                        whatToDo: BrokerTrust.remedy(for: user, of: role))
                }
            }
        }.orOK("publishers", "the routers believe the processes that publish for others")
    }
}
