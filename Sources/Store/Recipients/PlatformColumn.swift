import TidingsPostgres

/// The platform of a device, as decisions and sends read it.
///
/// Earlier versions stored a browser with the platform that its app named, or as `ios`. So the form of the token counts before the column.
enum PlatformColumn {
    /// The platform of the row `e` of `tidings.endpoints`, as a text. It may be one that this version does not know.
    static let value: SQL = "case when \(isBrowser) then 'web' else e.platform end"

    /// Whether the token of the row `e` is the subscription of a browser, in the form in which the provider Web Push stores it. No other
    /// provider of this repository has a token of this form.
    static let isBrowser: SQL = """
        (e.channel = 'push' and e.address like '{"endpoint":%')
        """
}
