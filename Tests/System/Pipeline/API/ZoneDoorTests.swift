import Testing
import TidingsJSON
import TidingsTestSupport

/// Apps and backends give a person's time zone in the forms in which devices give theirs.
@Suite struct ZoneDoorTests {
    @Test func anOffsetIsStoredAsItsZoneAtEveryDoor() async throws {
        try await withAPI { api in
            let system = api.pipeline.system
            let key = try await api.key("recipients:read", "recipients:write")
            for (written, zone) in [("GMT+0200", "Etc/GMT-2"), ("UTC-08:00", "Etc/GMT+8"), ("Europe/Paris", "Europe/Paris")] {
                let body = #"{"pushEnabled":false,"timeZone":"\#(written)"}"#
                let byApp = try await api.ask("ada", "PUT", "/api/preferences", body: body)
                #expect(byApp.status == 200 && byApp.json["timeZone"]?.stringValue == zone, "\(byApp.text)")
                #expect(byApp.json["pushEnabled"] == false)
                let byBackend = try await api.ask("PUT", "/v1/recipients/bob/preferences", authorization: key, body: body)
                #expect(byBackend.status == 200 && byBackend.json["timeZone"]?.stringValue == zone, "\(byBackend.text)")
                let byCommand = try await system.tidings("recipient", "set", "cleo", "--time-zone", written)
                #expect(byCommand.exitCode == 0, "\(byCommand.errors)")
                for person in ["ada", "bob", "cleo"] {
                    let shown = try JSON.parse(try await system.tidings("recipient", "show", person, "-o", "json").output)
                    #expect(shown["time_zone"]?.stringValue == zone, "\(shown)")
                }
            }
        }
    }

    /// IANA has no zone that always has the offset, and a zone of a person is no context: nothing is stored.
    @Test func anOffsetWithoutAZoneIsRefused() async throws {
        try await withAPI { api in
            let refused = try await api.ask("ada", "PUT", "/api/preferences", body: #"{"pushEnabled":false,"timeZone":"GMT+0530"}"#)
            #expect(refused.status == 422 && refused.json["errors"]?.arrayValue?.first?["pointer"] == "/timeZone", "\(refused.text)")
            let byCommand = try await api.pipeline.system.tidings("recipient", "set", "ada", "--time-zone", "GMT+0530")
            #expect(byCommand.exitCode == 65 && byCommand.errors.contains("unknown time zone GMT+0530"), "\(byCommand.errors)")
            #expect(try await api.ask("ada", "GET", "/api/preferences").json["pushEnabled"] == true)
        }
    }
}
