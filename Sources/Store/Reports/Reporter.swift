/// The sender of a report about a delivery.
enum Reporter: Sendable {
    /// A provider, by its name in the catalogue. It speaks only for its own deliveries.
    case provider(String)
    /// A device of the person. The caller has found the delivery to this device.
    case device

    /// The word in `tidings.reports.reporter`.
    var word: String {
        switch self {
        case .provider: "provider"
        case .device: "device"
        }
    }

    /// Whether a report of this sender may change a delivery that this provider carried.
    func speaks(forDeliveriesOf provider: String) -> Bool {
        switch self {
        // The secret of one provider must not change deliveries of another.
        case .provider(let name): name.utf8.elementsEqual(provider.utf8)
        case .device: true
        }
    }
}
