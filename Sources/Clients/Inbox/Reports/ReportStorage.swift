public import Foundation

/// Keeps the reports that wait, for the next start of the app. The bytes hold personal data: keep one storage for each person, in a
/// protected place.
public protocol ReportStorage: Sendable {
    /// Returns the stored bytes. Nil if there are none.
    func read() async throws -> Data?
    /// Replaces the stored bytes.
    func write(_ data: Data) async throws
    func remove() async throws
}

/// A storage in a file.
public struct FileReportStorage: ReportStorage {
    private let url: URL

    public init(url: URL) { self.url = url }

    public func read() async throws -> Data? {
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        return try Data(contentsOf: url)
    }

    public func write(_ data: Data) async throws {
        var options: Data.WritingOptions = .atomic
        #if os(iOS)
            options.insert(.completeFileProtectionUntilFirstUserAuthentication)
        #endif
        try data.write(to: url, options: options)
    }

    public func remove() async throws {
        guard FileManager.default.fileExists(atPath: url.path) else { return }
        try FileManager.default.removeItem(at: url)
    }
}
