import TidingsPostgres

/// The endpoints of people in SQL: devices and addresses in one form. Every statement that looks for a place to send to reads them here.
///
/// A statement reads both tables by their primary keys, so a person costs two look-ups, in one query.
enum EndpointRows {
    /// Returns a query for the endpoints of one person, with these columns. If the expressions name relations of the statement around the
    /// query, it stands after `lateral`.
    ///
    /// - Parameters:
    ///   - tenant, recipient: expressions that name the person.
    ///   - id: an expression that names one endpoint. Nil: every endpoint of the person.
    static func select(_ columns: [EndpointColumn], tenant: SQL, recipient: SQL, id: SQL? = nil) -> SQL {
        func isAsked(_ row: String) -> SQL {
            let isOfPerson: SQL = "\(unsafe: row).tenant = \(tenant) and \(unsafe: row).recipient_id = \(recipient)"
            guard let id else { return isOfPerson }
            return "\(isOfPerson) and \(unsafe: row).id = \(id)"
        }
        let devices: [SQL] = columns.map { "\($0.ofDevice) as \(unsafe: $0.rawValue)" }
        return """
            select \(devices.joined(separator: ", ")) from tidings.endpoints d where \(isAsked("d"))
            union all
            select \(columns.map(\.ofAddress).joined(separator: ", ")) from tidings.addresses a where \(isAsked("a"))
            """
    }
}

/// A column of ``EndpointRows``. A process without the right to read a column leaves it out.
enum EndpointColumn: String {
    case id, channel, provider, address, secrets, permission, platform, environment, market
    /// The part of a token that names the device.
    case identity
    /// Null while messages may go to the endpoint.
    case goneAt = "gone_at"

    /// The value for the row `d` of a device.
    fileprivate var ofDevice: SQL {
        switch self {
        case .id, .channel, .provider, .address, .permission, .environment, .market, .goneAt: "d.\(unsafe: rawValue)"
        case .platform: PlatformColumn.value(of: "d")
        case .secrets: "'{}'::text[]"
        case .identity: "d.token_identity"
        }
    }

    /// The value for the row `a` of an address. A kind of address has the name of its channel.
    fileprivate var ofAddress: SQL {
        switch self {
        case .id, .secrets: "a.\(unsafe: rawValue)"
        case .channel: "a.kind"
        // A service takes a telephone number in its canonical form only.
        case .address: "case a.kind when 'sms' then a.identity else a.value end"
        case .permission: "case a.consent when 'denied' then 'denied' else 'authorized' end"
        case .provider, .platform, .environment, .market, .identity: "null::text"
        case .goneAt:
            """
            case when a.suppressed_at is not null and (a.suppressed_until is null or a.suppressed_until > (select tidings.clock()))
                then a.suppressed_at when a.consent = 'denied' then a.consent_at end
            """
        }
    }
}
