public import TidingsJSON

/// A record that has an id: a row of `tidings_ops.find`.
public struct FoundRecord: Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        case notification, recipient, device, rejected
        /// An id that the HTTP API promised, and that names no notification yet.
        case promised
        /// A notification whose person was erased.
        case erased
    }

    /// Nil for a kind of a newer version.
    public let kind: Kind?
    public let id: String
    /// The column that has the id. The columns have the names of their views.
    public let matchedOn: String
    /// Every column.
    public let row: JSON

    /// - Throws: ``ReportError`` if the row lacks a column.
    public init(_ row: JSON) throws(ReportError) {
        kind = Kind(rawValue: try row.column("kind"))
        id = try row.column("id")
        matchedOn = try row.column("matched_on")
        self.row = row
    }
}
