public import TidingsCatalogue
import TidingsContracts
public import TidingsCore

/// A fact about a device that cannot be true, whoever reports it.
public enum DeviceFault: Sendable, Hashable {
    /// The text is no name of a provider or kind. A name that the catalogue does not have is none of the faults.
    case provider(String)
    /// The catalogue has no such market.
    case market(String)
    case timeZone(String)
    case locale(String)
    case longLocale
    case longAppVersion
}

extension DeviceSettings {
    /// The longest locale and the longest app version, in bytes.
    public static let longestText = 128

    /// The faults, in the order of the cases. Settings that are nil have none.
    ///
    /// - Parameter isKnownZone: whether the zone data has a name. Called only if there is a time zone.
    public func faults(in catalogue: Catalogue, isKnownZone: (String) throws -> Bool) rethrows -> [DeviceFault] {
        var faults: [DeviceFault] = []
        if let provider, !CatalogueNames.isName(provider) { faults.append(.provider(provider)) }
        if case .some(.some(let market)) = market, catalogue.markets[market] == nil { faults.append(.market(market)) }
        if let timeZone, try !isKnownZone(timeZone) { faults.append(.timeZone(timeZone)) }
        if let locale, locale.utf8.count > Self.longestText {
            faults.append(.longLocale)
        } else if let locale, !LanguageTag.isTag(locale) {
            faults.append(.locale(locale))
        }
        if let appVersion, appVersion.utf8.count > Self.longestText { faults.append(.longAppVersion) }
        return faults
    }
}
