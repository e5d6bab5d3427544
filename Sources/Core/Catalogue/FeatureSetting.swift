/// The value of a setting in ``Catalogue/features``.
public enum FeatureValue: Sendable, Hashable, CustomStringConvertible {
    case flag(Bool)
    case number(Int)

    public var description: String {
        switch self {
        case .flag(let isOn): "\(isOn)"
        case .number(let number): "\(number)"
        }
    }
}

/// A setting that a module declares for ``Catalogue/features``. Apps read it from the server, so that a change needs no new version of the
/// app.
public struct FeatureSetting: Sendable, Hashable {
    public enum Form: Sendable, Hashable {
        case flag(standard: Bool)
        case number(standard: Int, range: ClosedRange<Int>, unit: String)
    }

    /// The key of the section.
    public let name: String
    public let form: Form

    public init(_ name: String, _ form: Form) {
        self.name = name
        self.form = form
    }

    /// The value that counts if the catalogue has none.
    public var standard: FeatureValue {
        switch form {
        case .flag(let isOn): .flag(isOn)
        case .number(let number, _, _): .number(number)
        }
    }

    /// Whether the setting is on in a catalogue. False for a number.
    public func isOn(in catalogue: Catalogue) -> Bool { value(in: catalogue) == .flag(true) }

    /// The number in a catalogue. 0 for a flag.
    public func number(in catalogue: Catalogue) -> Int {
        switch value(in: catalogue) {
        case .number(let number): number
        case .flag: 0
        }
    }

    /// A value of another form or beyond the range counts as none: a binary with another module may have stored it.
    private func value(in catalogue: Catalogue) -> FeatureValue {
        switch (form, catalogue.features[name]) {
        case (.flag, .flag(let isOn)?): .flag(isOn)
        case (.number(_, let range, _), .number(let number)?) where range.contains(number): .number(number)
        case (.flag, _), (.number, _): standard
        }
    }
}
