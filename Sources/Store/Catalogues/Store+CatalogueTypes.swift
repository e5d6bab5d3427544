import TidingsCore
import TidingsPostgres

extension Store {
    /// Stores the types of a catalogue. `tidings_api.enqueue` reads them and refuses any other type while the producer can still correct
    /// the mistake.
    ///
    /// The statement runs after the one that stores the catalogue's row, in the transaction that makes the catalogue active. Without this
    /// row a catalogue refuses no type.
    static func notedTypes(of catalogue: Catalogue) -> SQL {
        """
        insert into tidings.catalogue_types (hash, types) values (\(catalogue.hash), \(catalogue.types.keys.sorted()))
        on conflict (hash) do update set types = excluded.types
        """
    }
}
