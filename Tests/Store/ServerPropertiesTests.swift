import Testing

@testable import TidingsStore

/// Properties of PostgreSQL on which every statement relies.
@Suite struct ServerPropertiesTests {
    private static func faults(_ change: (inout ServerProperties) -> Void) -> [ServerFault] {
        var properties = ServerProperties()
        change(&properties)
        return properties.faults
    }

    @Test func theOldestServerIsGoodEnough() {
        #expect(Self.faults { _ in }.isEmpty)
        #expect(Self.faults { ($0.version, $0.versionNumber) = ("18.1", 180_001) }.isEmpty)
    }

    @Test func eachWrongPropertyIsNamed() {
        let old = Self.faults { ($0.version, $0.versionNumber) = ("14.20", 140_020) }
        #expect(old.map(\.words) == ["the server is PostgreSQL 14.20, and Tidings needs 15 or newer"])
        for encoding in ["SQL_ASCII", "LATIN1", "WIN1252"] {
            let faults = Self.faults { $0.encoding = encoding }
            #expect(faults.map(\.words) == ["the database has the encoding \(encoding), and Tidings needs UTF8"])
            #expect(faults.allSatisfy { $0.whatToDo.contains("template template0 encoding 'UTF8'") })
        }
        let all = Self.faults { ($0.encoding, $0.versionNumber, $0.hasStandardStrings) = ("LATIN1", 90_624, false) }
        #expect(all.map(\.kind) == [.encoding, .version, .strings])
    }
}
