import TidingsJSON

/// Reads the columns of a row of a report, and keeps those that a producer may see.
///
/// An answer to a producer has the kept columns and no other one: a column that an operator adds to a view does not go out.
struct RowReader {
    private let row: JSON
    /// The columns for producers, in the order in which they were read.
    private(set) var told = JSONObject()

    init(_ row: JSON) { self.row = row }

    /// Reads a column that a producer may see. `openapi.yaml` lists it.
    mutating func column<Value: ReportValue>(_ name: String) throws(ReportError) -> Value {
        let value: Value = try row.column(name)
        told[name] = row[name]
        return value
    }

    /// Reads a column that only operators may see: it names a machine or an operator, or has the words of an operator.
    func forOperators<Value: ReportValue>(_ name: String) throws(ReportError) -> Value { try row.column(name) }
}
