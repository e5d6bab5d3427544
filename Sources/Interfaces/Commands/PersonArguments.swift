import TidingsCatalogue
import TidingsContracts
import TidingsServer

/// Throws a ``Failure`` with exit code 65 unless an intent could name this person.
func checkPerson(_ id: String, tenant: String) throws {
    if let fault = RecipientForm.fault(in: id) { throw Failure(.data, "the recipient id \(fault)") }
    guard CatalogueNames.isTenant(tenant) else { throw Failure(.data, "--tenant must be \(CatalogueNames.nameRule)") }
}
