import Testing
import TidingsJSON

@testable import TidingsStore

/// The bytes of refused events and dead messages, as a report shows them.
@Suite struct KeptBytesTests {
    @Test func bytesThatAreTextAreShownAsText() throws {
        let row: JSON = ["rejected_id": 1, "raw_base64": "e30="]
        #expect(try row.withText().serialized == #"{"rejected_id":1,"raw":"{}","raw_base64":"e30="}"#)
    }

    @Test(arguments: ["AA==", "/w=="]) func otherBytesAreNot(base64: String) throws {
        let row: JSON = ["raw_base64": .string(base64)]
        #expect(try row.withText() == row)
    }

    @Test func aRowWithoutItsBytesIsRefusedUnlessTheyAreWithheld() throws {
        let withheld: JSON = ["rejected_id": 1, "withheld": "bytes and headers"]
        #expect(try withheld.withText() == withheld)
        let row: JSON = ["rejected_id": 1]
        let error = #expect(throws: ReportError.self) { try row.withText() }
        #expect(error?.column == "raw_base64")
    }
}
