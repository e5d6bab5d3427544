import TidingsTestSupport

/// A network between the roles and the broker that swallows or cuts.
extension FaultRow {
    static let links = [
        FaultRow(
            number: "12", fault: "half-open link to the broker", injected: "a proxy swallows every byte for 60 s", broker: .behindProxy,
            recovery: .seconds(150),
            inject: { scene in
                try scene.link().freeze()
                try await scene.holds(.seconds(60))
            },
            heal: { try $0.link().thaw() }),
        FaultRow(
            number: "14", fault: "connections reset", injected: "every connection to the broker reset, 10 times", broker: .behindProxy,
            inject: { scene in
                for _ in 0..<10 {
                    try scene.link().reset()
                    try await scene.moreConfirmed(FaultLoad.perSecond / 2)
                }
            }),
    ]
}
