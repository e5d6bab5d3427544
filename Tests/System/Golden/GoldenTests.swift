import Foundation
import Testing
import TidingsCatalogue
import TidingsCrypto
import TidingsEncodings

/// The bytes on every wire for ``GoldenIntents`` equal the recorded ones. An intended change shows as a change of `golden.csv`.
///
/// If `TIDINGS_GOLDEN` names a folder, the test writes the bytes there, one file for each part, so that `diff -r` can compare two commits.
/// The folder also gets the new table for `golden.csv`.
@Suite struct GoldenTests {
    @Test func theBytesAreThoseRecorded() throws {
        let catalogue = try CompiledCatalogue(CatalogueFile.parse(yaml: Self.catalogue))
        let services = try GoldenServices()
        var table: [String] = []
        var names: Set<String> = []
        for (index, event) in GoldenIntents.events.enumerated() {
            let golden = try GoldenBytes(event, index: index, catalogue: catalogue, services: services)
            try write(golden, index)
            names.formUnion(golden.parts.map(\.name))
            table.append("golden-\(index)," + golden.parts.map { "\($0.name)=\(digest($0.bytes))" }.joined(separator: ","))
        }
        #expect(names.isSuperset(of: ["identity", "pack", "apns", "fcm", "webpush", "braze", "airship", "dmp", "hooks"]))
        #expect(!names.contains("rejection"))
        let text = table.joined(separator: "\n") + "\n"
        if let folder { try Data(text.utf8).write(to: folder.appendingPathComponent("golden.csv")) }
        let recorded = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("golden.csv"), encoding: .utf8
        ).split(separator: "\n")
        #expect(recorded.count == GoldenIntents.count)
        for (found, expected) in zip(table, recorded) { #expect(found == expected) }
    }

    /// The first 64 bits of the SHA-256, in hexadecimal.
    private func digest(_ bytes: [UInt8]) -> String { String(Hexadecimal.encode(SHA256.hash(bytes)).prefix(16)) }

    private var folder: URL? {
        ProcessInfo.processInfo.environment["TIDINGS_GOLDEN"].map { URL(fileURLWithPath: $0) }
    }

    private func write(_ golden: GoldenBytes, _ index: Int) throws {
        guard let folder else { return }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (position, part) in golden.parts.enumerated() {
            try Data(part.bytes).write(to: folder.appendingPathComponent("golden-\(index)-\(position)-\(part.name)"))
        }
    }

    private static let catalogue = """
        types:
          orderUpdate: {category: transactional, allowsCritical: true, channels: [push, inApp, webhook], interruptionLevel: time-sensitive}
          promotion: {category: marketing, channels: [push, webhook]}
          social: {category: social, channels: [push]}
          metadata: {category: system, channels: [push, webhook], silent: true}
          invoice:
            category: transactional
            channels: [push, webhook]
            title: "Invoice {{number}} is ready"
            body: "{{amount}} EUR are due."
            schema: {type: object, required: [number, amount], properties: {number: {type: string}, amount: {type: integer}}}
        markets:
          eu: {push: [apns, fcm, webpush, dmp], inApp: [inbox], webhook: [hooks]}
          us: {push: [braze, dmp], inApp: [inbox], webhook: [hooks]}
          ca: {push: [airship], inApp: [inbox], webhook: [hooks]}
        defaultMarket: us
        providers:
          inbox: {channel: inApp, kind: inbox}
          apns: {channel: push, kind: apns}
          fcm: {channel: push, kind: fcm}
          webpush: {channel: push, kind: webpush}
          braze: {channel: push, kind: braze, addressing: person}
          airship: {channel: push, kind: airship, addressing: person}
          dmp: {channel: push, kind: http, copy: true}
          hooks: {channel: webhook, kind: webhook}
        """
}
