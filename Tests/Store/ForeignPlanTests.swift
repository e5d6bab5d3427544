import Testing
import TidingsCore
import TidingsPostgres
import TidingsStore
import TidingsTestSupport

/// The plan of a device that belongs to another person, or to nobody.
@Suite struct ForeignPlanTests {
    @Test func aForeignDeviceGetsNoPlan() async throws {
        try await StoreScene.with { scene in
            let store = scene.store
            let device = try await store.recipients.register(token: DeviceToken("phone"), of: "ann", tenant: "default", DeviceSettings())
                .deviceID
            for unknown in [device, "no-such-device"] {
                let update = try await store.localPlans.sync(
                    of: unknown, tenant: "default", owner: "bob", since: nil, catalogue: scene.catalogue, zones: scene.zones)
                #expect(update == nil, "\(unknown)")
                let answer = try await store.localPlans.acknowledge(of: unknown, tenant: "default", owner: "bob", version: 0)
                #expect(answer == .noDevice, "\(unknown)")
            }
            #expect(try await scene.count("select count(*) from tidings.local_plans") == 0, "a stranger makes no row")
            let own = try await store.localPlans.sync(
                of: device, tenant: "default", owner: "ann", since: nil, catalogue: scene.catalogue, zones: scene.zones)
            #expect(own != nil)
            #expect(try await scene.count("select count(*) from tidings.local_plans") == 1)
        }
    }
}
