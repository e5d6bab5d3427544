package import TidingsCore
import TidingsPostgres
import TidingsStore

/// The state of a person's unblur.
package struct Unblur: Sendable, Hashable {
    /// Nil if no unblur is active.
    package var expiresAt: Timestamp?

    package var isActive: Bool { expiresAt != nil }
}

/// The unblur of a person is one row, whatever the number of likes. The database's clock decides, so all devices of the person agree.
extension Likes {
    /// Starts an unblur. While one is active, changes nothing. Throws ``RecipientErased``.
    ///
    /// - Parameter seconds: ``FeatureSetting/unblurDuration`` of the catalogue.
    package func startUnblur(of recipient: String, tenant: String, seconds: Int) async throws -> Unblur {
        let statement: SQL = """
            insert into tidings.unblurs as u (tenant, recipient_id, expires_at)
            values (\(tenant), \(recipient), tidings.clock() + make_interval(secs => \(Double(seconds))))
            on conflict (tenant, recipient_id) do update set
                expires_at = case when u.expires_at > tidings.clock() then u.expires_at else excluded.expires_at end
            returning expires_at
            """
        return try await store.storeAsPerson(RecipientKey(tenant: tenant, id: recipient), .one(statement, Unblur.init))
    }

    package func unblur(of recipient: String, tenant: String) async throws -> Unblur {
        let active: SQL = """
            select expires_at from tidings.unblurs
            where tenant = \(tenant) and recipient_id = \(recipient) and expires_at > tidings.clock()
            """
        return try await own(recipient, tenant, .first(active, Unblur.init)) ?? Unblur()
    }
}

extension Unblur {
    fileprivate init(_ row: PostgresRow) throws {
        expiresAt = Timestamp(microseconds: try row.decode("expires_at", as: PostgresTimestamp.self).microseconds)
    }
}
