import TidingsCore
import TidingsStore

extension Bounds {
    /// Addresses of people beside devices.
    static var addresses: [Bound] {
        [
            Bound("Address.longest", Address.longest, "bytes", "A URL of a webhook; an e-mail address has 254 at most."),
            Bound("Address.longestText", Address.longestText, "bytes", "Of the source of an address, or of the reason of a suppression."),
            Bound("Store.addressesPerKind", Store.addressesPerKind, "addresses", "Of one person: each gets a delivery of its own."),
            Bound("AddressSuppression.longest", AddressSuppression.longest, "Of an address, unless the suppression has no end."),
        ]
    }
}
