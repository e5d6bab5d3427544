import TidingsCore
import TidingsJSON
import TidingsPostgres

extension Store.Catalogues {
    /// Stores the types of a catalogue, and the tenants that its producers may name. `tidings_api.enqueue` reads the types and refuses any
    /// other one while the producer can still correct the mistake. `tidings_api.rejected` reads the tenants.
    ///
    /// The statement runs after the one that stores the catalogue's row, in the transaction that makes the catalogue active. Without this
    /// row a catalogue refuses no type.
    static func notedTypes(of catalogue: Catalogue) -> SQL {
        """
        insert into tidings.catalogue_types (hash, types, producer_tenants)
        values (\(catalogue.hash), \(catalogue.types.keys.sorted()), \(producerTenants(of: catalogue))::jsonb)
        on conflict (hash) do update set types = excluded.types, producer_tenants = excluded.producer_tenants
        """
    }

    /// An object in JSON: the tenants of each producer. Nil if the catalogue names no producer.
    private static func producerTenants(of catalogue: Catalogue) -> String? {
        guard !catalogue.producers.isEmpty else { return nil }
        var json = JSONWriter()
        json.beginObject()
        for (name, producer) in catalogue.producers.sorted(by: { $0.key < $1.key }) {
            json.key(name)
            json.beginArray()
            for tenant in producer.tenants.sorted() { json.string(tenant) }
            json.endArray()
        }
        json.endObject()
        return json.text
    }
}
