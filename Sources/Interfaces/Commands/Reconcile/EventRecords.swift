import ArgumentParser
import TidingsContracts
import TidingsJSON

/// The form of a file with event ids.
enum EventFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// An id on each line, with every character of the line.
    case lines
    /// RFC 4180, with a header that names the columns.
    case csv
    /// On each line a JSON string that is an id, or an object with a member `id`, such as the event itself.
    case jsonl
}

/// Reads the event ids of a file piece by piece. Memory holds one record of the file, however long the file is.
struct EventRecords: Sendable {
    enum Record: Sendable, Equatable {
        /// `recipients` is the number of people that the event names, or 1 if the record does not have them.
        case event(id: String, recipients: Int)
        /// The record names another source or tenant than the one that is compared.
        case other
        /// No accepted event can have this id.
        case invalid(record: Int, String)
    }

    /// The longest record in bytes: an event of the largest size, and as much again for escapes.
    static let longestRecord = 2 * IntentLimits().maximumEventBytes

    private let format: EventFormat
    private let column: String
    private let source: String
    private let tenant: String?

    private var record: [UInt8] = []
    private var count = 0
    private var isTooLong = false
    /// Between two quotes of a CSV record, where a line break is a part of the value.
    private var isQuoted = false
    /// The position of the column. Nil before the header of a CSV file.
    private var position: Int?

    /// - Parameters:
    ///   - column: the name of the column with the ids, for CSV.
    ///   - source: records that name another source are ``Record/other``.
    ///   - tenant: records that name another tenant are ``Record/other``. Nil for any tenant.
    init(_ format: EventFormat, column: String, source: String, tenant: String?) {
        self.format = format
        self.column = column
        self.source = source
        self.tenant = tenant
    }

    /// Takes the next bytes of the file, and returns the records that they complete. Throws a ``Problem`` if the rest of the file cannot be
    /// read.
    mutating func add(_ bytes: some Sequence<UInt8>) throws(Problem) -> [Record] {
        var found: [Record] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n"), !isQuoted {
                if let record = try endRecord() { found.append(record) }
                continue
            }
            if format == .csv, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if record.count < Self.longestRecord {
                record.append(byte)
            } else if isQuoted {
                throw Problem(record: count + 1, text: "a quote is never closed")
            } else {
                isTooLong = true
            }
        }
        return found
    }

    /// Ends the file. Returns its last record if no line break stood behind it.
    mutating func end() throws(Problem) -> Record? {
        guard !isQuoted else { throw Problem(record: count + 1, text: "a quote is never closed") }
        let last = try record.isEmpty ? nil : endRecord()
        if format == .csv, position == nil { throw Problem(record: 1, text: "the header of the columns is missing") }
        return last
    }

    /// The reason why the rest of a file cannot be read.
    struct Problem: Error, Equatable {
        /// Counted from 1, with the header.
        let record: Int
        let text: String
    }

    /// Nil for an empty line and for the header.
    private mutating func endRecord() throws(Problem) -> Record? {
        count += 1
        var bytes = record
        record.removeAll(keepingCapacity: true)
        defer { isTooLong = false }
        if isTooLong { return .invalid(record: count, "is longer than \(Self.longestRecord) bytes") }
        if count == 1, bytes.starts(with: Self.byteOrderMark) { bytes.removeFirst(Self.byteOrderMark.count) }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { return .invalid(record: count, "is not UTF-8") }
        switch format {
        case .lines: return event(text)
        case .jsonl: return json(bytes)
        case .csv: return try csv(text)
        }
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private func event(_ id: String, recipients: Int = 1) -> Record {
        let limit = IntentLimits().maximumIDBytes
        if id.isEmpty { return .invalid(record: count, "has an empty id") }
        if id.utf8.count > limit { return .invalid(record: count, "has an id of \(id.utf8.count) bytes; at most \(limit) are allowed") }
        if id.utf8.contains(0) { return .invalid(record: count, "has an id with U+0000") }
        return .event(id: id, recipients: recipients)
    }

    private func json(_ bytes: [UInt8]) -> Record {
        guard let value = try? JSON.parse(bytes, limits: .standard) else { return .invalid(record: count, "is not JSON") }
        if let id = value.stringValue { return event(id) }
        guard let id = value["id"]?.stringValue else { return .invalid(record: count, "has no member id that is a string") }
        if let named = value["source"]?.stringValue, named != source { return .other }
        if let tenant, let named = value["data"]?["tenant"]?.stringValue, named != tenant { return .other }
        let people = Set((value["data"]?["recipients"]?.arrayValue ?? []).compactMap(\.stringValue))
        return event(id, recipients: max(1, people.count))
    }

    private mutating func csv(_ text: String) throws(Problem) -> Record? {
        let fields = Self.fields(of: text)
        guard let position else {
            position = fields.firstIndex(of: column)
            guard position == nil else { return nil }
            let names = fields.prefix(20).joined(separator: ", ")
            throw Problem(record: count, text: "the header has no column \(column), it has \(names)")
        }
        guard position < fields.count else { return .invalid(record: count, "has \(fields.count) columns") }
        return event(fields[position])
    }

    /// The values of a CSV record. Two quotes within a quoted value are one.
    static func fields(of record: String) -> [String] {
        var fields: [[UInt8]] = [[]]
        var (isQuoted, wasQuote) = (false, false)
        for byte in record.utf8 {
            switch byte {
            case UInt8(ascii: "\""):
                if !isQuoted, wasQuote { fields[fields.count - 1].append(byte) }
                isQuoted.toggle()
                wasQuote = !isQuoted
                continue
            case UInt8(ascii: ",") where !isQuoted: fields.append([])
            default: fields[fields.count - 1].append(byte)
            }
            wasQuote = false
        }
        return fields.map { String(decoding: $0, as: UTF8.self) }
    }
}
