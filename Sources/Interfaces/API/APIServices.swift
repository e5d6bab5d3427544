import Logging
import TidingsPipeline
import TidingsServer
import TidingsStore
import TidingsTimeZones

/// The parts that operations work with.
struct APIServices: Sendable {
    let store: Store
    let catalogues: CatalogueSource
    let zones: TimeZoneDatabase
    let deviceTokens: DeviceTokens
    let hub: StreamHub
    let projections: Projections
    let logger: Logger
}
