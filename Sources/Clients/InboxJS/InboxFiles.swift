/// The files of the client library for browsers and of its demo page, as the API serves them.
public enum InboxFiles {
    public static let module = PackageResources.tidings_inbox_js
    public static let types = PackageResources.tidings_inbox_d_ts
    public static let demoPage = PackageResources.demo_html
    public static let demoScript = PackageResources.demo_js
    public static let demoStyle = PackageResources.demo_css
    public static let icons = PackageResources.icons_js
}
