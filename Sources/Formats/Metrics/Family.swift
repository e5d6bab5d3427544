import Synchronization

/// A metric with all its series.
protocol MetricFamily: Sendable {
    func append(to text: inout ExpositionText)
}

/// A metric whose label values are few but not known beforehand, such as the providers of the catalogue.
///
/// Finding a series takes a lock. A caller that records often should find the meter once and keep it.
public final class Family<M: Meter>: MetricFamily {
    /// The most series of one metric. A catalogue has a few dozen providers at most. Series beyond the limit are counted together, as
    /// `other`.
    static var limit: Int { 500 }

    let name: String
    private let help: String
    private let labels: [String]
    private let meters = Mutex<[[String]: M]>([:])

    init(_ name: String, _ help: String, labels: [String]) {
        self.name = name
        self.help = help
        self.labels = labels
    }

    /// Returns the series with these values, one for each label. The series begins with the first call.
    public func callAsFunction(_ values: String...) -> M {
        precondition(values.count == labels.count, "\(name) has the labels \(labels)")
        return meter(values)
    }

    /// Ends a series. It disappears from the text, because its subject no longer exists.
    public func forget(_ values: String...) {
        _ = meters.withLock { $0.removeValue(forKey: values) }
    }

    /// Every series, by its values.
    public var all: [(values: [String], meter: M)] {
        meters.withLock { $0.map { ($0.key, $0.value) } }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
    }

    private func meter(_ values: [String]) -> M {
        meters.withLock { meters in
            let key = meters[values] != nil || meters.count < Self.limit ? values : labels.map { _ in "other" }
            if let meter = meters[key] { return meter }
            let meter = M()
            meters[key] = meter
            return meter
        }
    }

    func append(to text: inout ExpositionText) {
        let all = all
        guard !all.isEmpty else { return }
        text.describe(name, type: M.type, help: help)
        for (values, meter) in all { meter.append(to: &text, name: name, labels: zip(labels, values).map(Label.init)) }
    }
}

/// A metric with one label whose values are a closed list. All its series exist from the start and are found without a lock.
public struct ClosedFamily<Case: CaseIterable & RawRepresentable<String> & Hashable & Sendable, M: Meter>: MetricFamily {
    private let family: Family<M>
    private let meters: [Case: M]

    init(_ name: String, _ help: String, label: String) {
        let family = Family<M>(name, help, labels: [label])
        self.family = family
        meters = Dictionary(uniqueKeysWithValues: Case.allCases.map { ($0, family($0.rawValue)) })
    }

    public subscript(_ value: Case) -> M { meters[value] ?? family(value.rawValue) }

    /// Every series, in no order.
    public var all: [M] { Array(meters.values) }

    func append(to text: inout ExpositionText) { family.append(to: &text) }
}
