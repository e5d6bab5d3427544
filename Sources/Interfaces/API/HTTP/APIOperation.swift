import TidingsModules
import TidingsStore
import TidingsWeb

/// One operation of the API. Its name is its `operationId` in the OpenAPI document.
typealias Operation = TidingsWeb.Operation<APIAccess, APICall>

/// Every operation of the API.
typealias OperationTable = TidingsWeb.OperationTable<APIAccess, APICall>

/// The callers that may use an operation of the API.
enum APIAccess: PersonAccess {
    /// Everybody, without credentials.
    case open
    /// A person, by a token.
    case person
    /// A backend, by a key with this scope.
    case key(APIScope)
}
