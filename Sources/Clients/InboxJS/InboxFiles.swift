import CPageFiles

/// The files of the client library for browsers and of its demo page, as the API serves them.
public enum InboxFiles {
    public static let module = String(cString: tidings_page_inbox_module())
    public static let types = String(cString: tidings_page_inbox_types())
    public static let demoPage = String(cString: tidings_page_demo_page())
    public static let demoScript = String(cString: tidings_page_demo_script())
    public static let demoStyle = String(cString: tidings_page_demo_style())
    public static let icons = String(cString: tidings_page_icons())
}
