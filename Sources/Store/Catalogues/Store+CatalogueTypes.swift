import TidingsCore
import TidingsPostgres

extension Store {
    /// Notes which types a catalogue has, so that `tidings_api.enqueue` refuses others where the mistake is made. Comes after the catalogue's own
    /// row, in the transaction that makes it active. A catalogue without the note refuses nothing.
    static func notedTypes(of catalogue: Catalogue) -> SQL {
        """
        insert into tidings.catalogue_types (hash, types) values (\(catalogue.hash), \(catalogue.types.keys.sorted()))
        on conflict (hash) do update set types = excluded.types
        """
    }
}
