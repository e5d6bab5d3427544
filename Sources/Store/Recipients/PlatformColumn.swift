import TidingsPostgres

/// The platform of a device, as decisions and sends read it.
///
/// Earlier versions stored a browser with the platform that its app named, or as `ios`. So the form of the token counts before the column.
enum PlatformColumn {
    /// The platform of a row of `tidings.endpoints`, as a text. It may be one that this version does not know.
    static func value(of row: String = "e") -> SQL { "case when \(isBrowser(row)) then 'web' else \(unsafe: row).platform end" }

    /// Whether the token of a row of `tidings.endpoints` is the subscription of a browser, in the form in which the provider Web Push stores
    /// it. No other provider of this repository has a token of this form.
    static func isBrowser(_ row: String = "e") -> SQL {
        """
        (\(unsafe: row).channel = 'push' and \(unsafe: row).address like '{"endpoint":%')
        """
    }
}
