import TidingsCore
import TidingsPostgres

extension Store.Inbox {
    /// The statements with which the API lists an inbox, as a script for `pgbench -M prepared`. A measurement compares the API with it.
    ///
    /// The statements are those of ``page(of:limit:from:in:)`` and ``Store/Recipients/deniesNotifications(_:)``, in one round trip.
    ///
    /// - Parameters:
    ///   - tenant: an SQL expression, which becomes text of the script. It must not come from a user.
    ///   - recipient: an SQL expression, such as `('person-' || :n)` with a variable of pgbench.
    package static func listingScript(tenant: String, recipient: String, limit: Int) -> String {
        let anybody = RecipientKey(tenant: "", id: "")
        let statements = [
            Store.beginPerson(anybody).text, pageQuery(of: anybody, limit: limit, from: .offset(0), in: .arrived).text,
            Store.Recipients.deniesNotifications(anybody).text,
        ]
        let texts = statements.map { filled($0, with: [tenant, recipient, tenant, recipient, "\(limit)", "0"]) }
        return "\\startpipeline\n" + texts.map { "\($0);\n" }.joined() + "\\endpipeline\n"
    }

    /// Puts values in the places of `$1`, `$2` and so on. The last one is replaced first, because `$1` is the beginning of `$10`.
    private static func filled(_ text: String, with values: [String]) -> String {
        values.enumerated().reversed().reduce(text) { text, value in text.replacing("$\(value.offset + 1)", with: value.element) }
    }
}
