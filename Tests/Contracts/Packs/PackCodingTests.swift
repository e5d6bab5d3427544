import Testing
import TidingsContracts
import TidingsCore

@Suite struct PackCodingTests {
    @Test func everythingComesBack() throws {
        let pack = Pack.sample()
        #expect(try Pack.decode(pack.encode()) == pack)
        #expect(pack.queueName == "tidings.deliver.webhook.webhook.urgent")
    }

    @Test func absentMembersAreLeftOut() {
        let text = String(decoding: Pack.sample([.bare(1)]).encode(), as: UTF8.self)
        for member in ["title", "body", "endpoint", "groupKey", "collapseKey", "traceparent", "escalates", "null"] {
            #expect(!text.contains("\"\(member)\""), "\(member)")
        }
    }

    @Test func membersMayComeInAnyOrderAndUnknownOnesAreIgnored() throws {
        let pack = Pack.sample([.bare(1)])
        let text = String(decoding: pack.encode(), as: UTF8.self)
        let moved =
            text.replacing("\"ordinal\":0,", with: "").replacing("\"escalates\"", with: "").dropLast(3) + ",\"ordinal\":0,\"later\":[1]}]}"
        #expect(try Pack.decode(Array(moved.utf8)) == pack)
    }

    static let damages: [(String, String, String)] = [
        (#""channel":"webhook""#, #""channel":"pigeon""#, "/channel"),
        (#""lane":"urgent""#, #""lane":1"#, "/lane"),
        (#""attempt":1"#, #""attempt":0"#, "/entries/0/attempt"),
        (#""ordinal":0"#, #""ordinal":-1"#, "/entries/0/ordinal"),
        (#""data":{}"#, #""data":[]"#, "/entries/0/data"),
        (#""tenant":"default","#, "", "/entries/0/tenant"),
        (#""createdAt":"2026"#, #""createdAt":"never"#, "/entries/0/createdAt"),
        (#""notificationID":"0"#, #""notificationID":"x"#, "/entries/0/notificationID"),
    ]

    @Test(arguments: damages) func aDamagedPackIsRefusedWithThePlace(from: String, to: String, pointer: String) {
        let text = String(decoding: Pack.sample([.bare(1)]).encode(), as: UTF8.self)
        #expect(text.contains(from), "the test damages nothing: \(from)")
        let error = #expect(throws: PackDecodingError.self) { try Pack.decode(Array(text.replacing(from, with: to).utf8)) }
        #expect(error?.pointer == pointer)
    }

    @Test func noPackIsEmptyOrTooLong() {
        #expect(throws: PackDecodingError.self) { try Pack.decode(Pack.sample([]).encode()) }
        let tooMany = (0..<51).map { PackEntry.bare($0) }
        #expect(throws: PackDecodingError.self) { try Pack.decode(Pack.sample(tooMany).encode()) }
        #expect(throws: PackDecodingError.self) { try Pack.decode(Array("{".utf8)) }
        #expect(throws: PackDecodingError.self) { try Pack.decode(Array("[]".utf8)) }
    }
}
