import TidingsCore
import TidingsJSON
import TidingsPostgres

/// Everything that is stored about a person, as one JSON document, read page by page. Its form is `schemas/recipient-export.schema.json`.
///
/// Each page is a transaction of its own. So a slow reader holds no snapshot of the database, and the process holds one page of rows. The
/// pages are of different moments: a row that exists from the beginning to the end is in the document once, and a row that comes or goes
/// meanwhile may be in it.
///
/// Each page is read with the rights of the person, so a wrong condition exports nothing of others.
public struct PersonalExport: Sendable {
    /// Rows of one page.
    package static let rows: Int64 = 100
    /// The bytes of a page. One more row may exceed it, or the rows of one more notification.
    package static let bytes: Int64 = 1 << 20
    /// The most notifications whose deliveries, attempts or reports are one page.
    package static let notifications: Int64 = 50
    /// The number of the document's form.
    private static let version = 1

    private let store: Store
    private let person: RecipientKey
    private var sources: ArraySlice<Source>
    /// The keys of the last row that was read of the first source. Empty at its beginning.
    private var position: [String] = []
    private var part = Part.head
    private var separator: [UInt8] = []

    private enum Part {
        case head, rows, end
    }

    /// The rows of a section from one column or table.
    private struct Source {
        let section: ExportSection
        let rows: ExportSection.Rows
        /// The view of the section, else its table.
        let relation: String
        let isFirst: Bool
        let isLast: Bool
    }

    /// - Parameter projections: the modules whose tables may hold people.
    public init(of person: RecipientKey, from store: Store, projections: Projections) {
        self.person = person
        self.store = store
        var sources: [Source] = []
        for table in PersonalPlaces.tables + projections.personalTables {
            for section in table.sections {
                let last = section.rows.count - 1
                for (number, rows) in section.rows.enumerated() {
                    sources.append(
                        Source(
                            section: section, rows: rows, relation: section.view ?? table.name, isFirst: number == 0,
                            isLast: number == last))
                }
            }
        }
        self.sources = sources[...]
    }

    /// Reads the next part of the document: whole characters, and at least one. Nil after the end of the document.
    ///
    /// If this throws, the document stays incomplete: a reader must not take it for the whole.
    public mutating func next() async throws -> [UInt8]? {
        switch part {
        case .head:
            part = .rows
            return Array(head.utf8)
        case .rows:
            while let source = sources.first {
                let bytes = try await next(of: source)
                if !bytes.isEmpty { return bytes }
            }
            part = .end
            return Array("}}\n".utf8)
        case .end: return nil
        }
    }

    private var head: String {
        let (tenant, id) = (JSON.string(person.tenant).serialized, JSON.string(person.id).serialized)
        let time = JSON.string(store.clock.now().rfc3339).serialized
        return "{\"version\":\(Self.version),\"tenant\":\(tenant),\"recipient\":\(id),\"exported_at\":\(time),\"data\":{"
    }

    /// The next page of the first source. Empty if the page has no row, and the section neither begins nor ends with it.
    private mutating func next(of source: Source) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        if source.isFirst, position.isEmpty {
            bytes += separator + Array("\"\(source.section.name)\":[".utf8)
            separator = []
        }
        let page = try await page(of: source)
        for element in page.elements {
            bytes += separator + Array(element.utf8)
            separator = Self.comma
        }
        position = page.last
        if page.last.isEmpty {
            sources.removeFirst()
            if source.isLast {
                bytes.append(UInt8(ascii: "]"))
                separator = Self.comma
            }
        }
        return bytes
    }

    private static let comma = [UInt8(ascii: ",")]

    // MARK: Pages

    /// Rows as JSON texts.
    private struct Page {
        var elements: [String] = []
        /// The keys of the last row. Empty if the source has no more rows.
        var last: [String] = []
    }

    private func page(of source: Source) async throws -> Page {
        switch source.rows {
        case .ofPerson(let column, let keys):
            let rows: SQL = """
                select r.* from tidings.\(unsafe: source.relation) r
                where r.tenant = \(person.tenant) and r.\(unsafe: column) = \(person.id) and \(after(keys))
                order by \(unsafe: Self.order(keys)) limit \(Self.rows)
                """
            return try await page(source.section, of: rows, keys)
        case .refused:
            // The view finds the few events of the person by their index. The inner statement cannot be turned into a walk along the primary
            // key.
            let rows: SQL = """
                select r.* from tidings.\(unsafe: source.relation) r where r.id = any(array(
                    select f.id from (
                        select k.id from tidings.\(unsafe: source.relation) k
                        where k.id > \(position.first.flatMap(Int64.init) ?? 0) offset 0
                    ) f order by f.id limit \(Self.rows)))
                """
            return try await page(source.section, of: rows, [ExportSection.Key(column: "id", type: "bigint")])
        case .ofNotification(let column): return try await page(source, of: column)
        }
    }

    /// A page of `rows`, which have the alias `r` and are at most ``rows``.
    private func page(_ section: ExportSection, of rows: SQL, _ keys: [ExportSection.Key]) async throws -> Page {
        let texts: String = keys.map { "r.\($0.column)::text" }.joined(separator: ", ")
        let elements: SQL = """
            select w.element, w.keys from (
                select l.element, l.keys, l.number,
                    sum(octet_length(l.element)) over (order by l.number) - octet_length(l.element) as bytes_before
                from (
                    select row_to_json(e)::text as element, array[\(unsafe: texts)]::text[] as keys,
                        row_number() over (order by \(unsafe: Self.order(keys))) as number
                    from (\(rows)) r cross join lateral (select \(unsafe: section.columns)) e
                ) l
            ) w where w.bytes_before < \(Self.bytes) order by w.number
            """
        var page = Page()
        var bytes = 0
        for (element, keys) in try await query(.rows(elements) { try $0.decode((String, [String]).self) }) {
            page.elements.append(element)
            page.last = keys
            bytes += element.utf8.count
        }
        if page.elements.count < Int(Self.rows), bytes < Int(Self.bytes) { page.last = [] }
        return page
    }

    /// A page of rows of notifications. It ends with the notification whose rows reach ``bytes``, because a provider decides how many reports
    /// a delivery has.
    private func page(_ source: Source, of column: String) async throws -> Page {
        let following: SQL = """
            select n.id from tidings.own_notifications n where n.recipient_id = \(person.id) and n.tenant = \(person.tenant)
                and n.id > coalesce(\(position.first)::text::uuid, '00000000-0000-0000-0000-000000000000')
            order by n.id limit \(Self.notifications)
            """
        let ids = try await query(.rows(following) { try $0.decode(NotificationID.self) })
        guard let last = ids.last else { return Page() }
        let elements: SQL = """
            select w.element, w.id from (
                select l.element, l.id,
                    sum(octet_length(l.element)) over (order by l.id) - sum(octet_length(l.element)) over (partition by l.id) as bytes_before
                from (
                    select row_to_json(e)::text as element, r.\(unsafe: column)::text as id
                    from tidings.\(unsafe: source.relation) r cross join lateral (select \(unsafe: source.section.columns)) e
                    where \(ErasureTurn.isOne(of: ids, "r.\(unsafe: column)"))
                ) l
            ) w where w.bytes_before < \(Self.bytes) order by w.id
            """
        var page = Page()
        var bytes = 0
        for (element, id) in try await query(.rows(elements) { try $0.decode((String, String).self) }) {
            page.elements.append(element)
            page.last = [id]
            bytes += element.utf8.count
        }
        if bytes < Int(Self.bytes) { page.last = ids.count < Int(Self.notifications) ? [] : ["\(last)"] }
        return page
    }

    private func query<Answer>(_ statement: Statement<Answer>) async throws -> Answer {
        var trip = RoundTrip(running: [Store.byIndex, Store.beginPerson(person)])
        let answer = trip.ask(statement)
        return try await store.pool.transaction { [trip] transaction in try await transaction.send(trip)[answer] }
    }

    /// The condition that a row comes after the last one that was read.
    private func after(_ keys: [ExportSection.Key]) -> SQL {
        guard !position.isEmpty, !keys.isEmpty else { return "true" }
        let values: [SQL] = zip(keys, position).map { key, value in "\(value)::text::\(unsafe: key.type)" }
        return "(\(unsafe: Self.order(keys))) > (\(values.joined(separator: ", ")))"
    }

    /// A person has at most one row in a source without keys.
    private static func order(_ keys: [ExportSection.Key]) -> String {
        keys.isEmpty ? "r.tenant" : keys.map { "r.\($0.column)" }.joined(separator: ", ")
    }
}
