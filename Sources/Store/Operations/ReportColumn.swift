public import TidingsCore
public import TidingsJSON

/// A row of a report cannot be read: it has no such column, or the column holds a value of another type.
public struct ReportError: Error, Sendable, Hashable, CustomStringConvertible {
    public let column: String
    let problem: String

    public var description: String { "the column \(column) of a report \(problem)" }
}

/// A type in which a column of a report is read. PostgreSQL renders each value as JSON (``Store`` reports).
public protocol ReportValue {
    /// Nil if the value has another type.
    init?(reported value: JSON)
}

extension JSON {
    /// The value of a column of a row of a report.
    ///
    /// A view that has lost a column must not look like one that counted nothing, so the row must have the column. The value is null only
    /// for an optional type.
    ///
    /// - Throws: ``ReportError``.
    public func column<Value: ReportValue>(_ name: String, as type: Value.Type = Value.self) throws(ReportError) -> Value {
        guard let value = self[name] else { throw ReportError(column: name, problem: "is missing") }
        guard let read = Value(reported: value) else { throw ReportError(column: name, problem: "is no \(type)") }
        return read
    }

    /// The named columns of a row of a report, and no other. An answer for outsiders names its columns: a column that an operator adds to a
    /// view does not go out.
    ///
    /// - Throws: ``ReportError`` if the row lacks one of them.
    public func columns(_ names: [String]) throws(ReportError) -> JSON {
        var members = JSONObject()
        for name in names { members[name] = try column(name, as: JSON.self) }
        return .object(members)
    }
}

extension Optional: ReportValue where Wrapped: ReportValue {
    public init?(reported value: JSON) {
        guard !value.isNull else {
            self = .none
            return
        }
        guard let wrapped = Wrapped(reported: value) else { return nil }
        self = .some(wrapped)
    }
}

extension Array: ReportValue where Element: ReportValue {
    public init?(reported value: JSON) {
        guard let values = value.arrayValue else { return nil }
        let elements = values.compactMap { Element(reported: $0) }
        guard elements.count == values.count else { return nil }
        self = elements
    }
}

extension JSON: ReportValue {
    public init?(reported value: JSON) { self = value }
}

extension String: ReportValue {
    public init?(reported value: JSON) {
        guard let text = value.stringValue else { return nil }
        self = text
    }
}

extension Int: ReportValue {
    public init?(reported value: JSON) {
        guard let number = value.intValue else { return nil }
        self = number
    }
}

extension Double: ReportValue {
    public init?(reported value: JSON) {
        guard let number = value.doubleValue else { return nil }
        self = number
    }
}

extension Bool: ReportValue {
    public init?(reported value: JSON) {
        guard let isTrue = value.boolValue else { return nil }
        self = isTrue
    }
}

extension Timestamp: ReportValue {
    public init?(reported value: JSON) {
        guard let time = value.stringValue.flatMap({ Timestamp(rfc3339: $0) }) else { return nil }
        self = time
    }
}

extension NotificationID: ReportValue {
    public init?(reported value: JSON) {
        guard let id = value.stringValue.flatMap({ NotificationID($0) }) else { return nil }
        self = id
    }
}
