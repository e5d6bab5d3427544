import TidingsCatalogue
import TidingsContracts
public import TidingsCore

/// A fact about a device that cannot be true, whoever reports it.
public enum DeviceFault: Sendable, Hashable {
    /// The text is no name of a provider or kind. A name that ``IssuerNames`` does not have is no fault, unless it is near to one of them.
    case provider(String)
    /// The name belongs to no provider or kind, and `nearest` was probably meant.
    case misspelledProvider(String, nearest: String)
    /// The catalogue has no such market.
    case market(String)
    case timeZone(String)
    case locale(String)
    case longLocale
    /// The text has U+FFFD, which a reader sets in the place of a character that cannot be stored.
    case damagedAppVersion
    case longAppVersion

    /// Whether the fact is context: it comes from the settings of the phone or from the build of the app, and no delivery depends on it.
    public var isContext: Bool {
        switch self {
        case .provider, .misspelledProvider, .market: false
        case .timeZone, .locale, .longLocale, .damagedAppVersion, .longAppVersion: true
        }
    }
}

extension DeviceSettings {
    /// The longest locale and the longest app version, in bytes.
    public static let longestText = 128

    /// Brings the settings into the form that is stored, and returns the faults for which the report is refused.
    ///
    /// - The name of a provider takes the case of the name that it is known by.
    /// - A locale in the form of POSIX, ICU or Java becomes a language tag.
    /// - An offset such as `GMT+0500` becomes the IANA zone of that offset, if there is one.
    /// - Empty texts are left out.
    /// - Context with a fault is left out, and its faults are added to `ignored`. A phone with an odd locale must not stay without pushes.
    ///
    /// - Parameters:
    ///   - issuers: the names that `provider` may have.
    ///   - isStrict: whether a report is refused for its context as well. True for a report that changes the context and nothing else, see
    ///     ``isContextAlone``.
    ///   - zoneName: the name under which a time zone is stored; nil for an unknown zone. Called only if there is a time zone.
    public mutating func settle(
        in catalogue: Catalogue, issuers: IssuerNames, strictly isStrict: Bool, ignored: inout [DeviceFault],
        zoneName: (String) throws -> String?
    ) rethrows -> [DeviceFault] {
        try normalize(issuers, zoneName)
        let found = try faults(in: catalogue, issuers, zoneName)
        guard !isStrict else { return found }
        for fault in found where fault.isContext {
            ignored.append(fault)
            leaveOut(fault)
        }
        return found.filter { !$0.isContext }
    }

    /// Whether the report says nothing that decides where and how a push is sent.
    public var isContextAlone: Bool {
        platform == nil && provider == nil && environment == nil && permission == nil && market == nil
    }

    private mutating func normalize(_ issuers: IssuerNames, _ zoneName: (String) throws -> String?) rethrows {
        provider = provider.map(issuers.folded)
        if timeZone?.isEmpty == true { timeZone = nil }
        if let written = timeZone, let name = try zoneName(written) { timeZone = name }
        if locale?.isEmpty == true { locale = nil }
        if let written = locale, !Self.isDamaged(written), let tag = LanguageTag.normalized(written) { locale = tag }
        if appVersion?.isEmpty == true { appVersion = nil }
    }

    /// The faults, in the order of the cases. Settings that are nil have none.
    private func faults(
        in catalogue: Catalogue, _ issuers: IssuerNames, _ zoneName: (String) throws -> String?
    ) rethrows -> [DeviceFault] {
        var faults: [DeviceFault] = []
        if let provider, !CatalogueNames.isName(provider) {
            faults.append(.provider(provider))
        } else if let provider, let nearest = issuers.nearest(to: provider) {
            faults.append(.misspelledProvider(provider, nearest: nearest))
        }
        if case .some(.some(let market)) = market, catalogue.markets[market] == nil { faults.append(.market(market)) }
        if let timeZone, try zoneName(timeZone) == nil { faults.append(.timeZone(timeZone)) }
        if let locale, locale.utf8.count > Self.longestText {
            faults.append(.longLocale)
        } else if let locale, LanguageTag.normalized(locale) != locale {
            faults.append(.locale(locale))
        }
        if let appVersion, Self.isDamaged(appVersion) {
            faults.append(.damagedAppVersion)
        } else if let appVersion, appVersion.utf8.count > Self.longestText {
            faults.append(.longAppVersion)
        }
        return faults
    }

    private static func isDamaged(_ text: String) -> Bool { text.unicodeScalars.contains("\u{FFFD}") }

    private mutating func leaveOut(_ fault: DeviceFault) {
        switch fault {
        case .provider, .misspelledProvider, .market: break
        case .timeZone: timeZone = nil
        case .locale, .longLocale: locale = nil
        case .damagedAppVersion, .longAppVersion: appVersion = nil
        }
    }
}
