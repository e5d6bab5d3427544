package import TidingsJSON
package import TidingsStore
package import TidingsWeb

/// The callers of an interface that serves people, as the API does.
package protocol PersonAccess: OperationAccess {
    /// A person, by a token.
    static var person: Self { get }
}

/// A request to an operation of a module.
package protocol PersonCall: OperationCall {
    /// The person whose token came with the request. Throws if the operation is not for persons.
    var person: RecipientKey { get throws }
    /// The parameters of the query that the operation names.
    var query: QueryReader { get }

    /// Reads the body as a JSON object, up to the limit of the interface.
    ///
    /// - Parameter isLenient: see ``OperationCall/object(upTo:leniently:)``.
    func object(leniently isLenient: Bool) async throws -> JSONObject
}

/// The parts of a process with an interface that the operations of a module work with.
package struct ModuleContext: Sendable {
    package let store: Store
    package let catalogues: CatalogueSource
    /// Tells every process that something of a topic has changed for these people, even if nothing is new. The name of a topic is that of a
    /// kind of signal.
    package let announce: @Sendable (_ topic: String, _ people: [RecipientKey]) -> Void

    package init(
        store: Store, catalogues: CatalogueSource, announce: @escaping @Sendable (_ topic: String, _ people: [RecipientKey]) -> Void
    ) {
        self.store = store
        self.catalogues = catalogues
        self.announce = announce
    }
}
