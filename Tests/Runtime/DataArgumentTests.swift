import Testing
import TidingsServer

@testable import TidingsCommands

/// The values of `tidings send --data`. A value that looks like JSON and is sent as a text gets a note.
@Suite struct DataArgumentTests {
    @Test(
        arguments: [
            ("n=17", #"{"n":17}"#, 0), ("n=\"17\"", #"{"n":"17"}"#, 0), ("n=007", #"{"n":"007"}"#, 0),
            ("day=2026-11-25", #"{"day":"2026-11-25"}"#, 0),
            ("x=null", #"{"x":"null"}"#, 1), ("x=[1,2", #"{"x":"[1,2"}"#, 1), ("x={a:1}", #"{"x":"{a:1}"}"#, 1),
            ("x=True", #"{"x":"True"}"#, 1),
            ("x=true", #"{"x":true}"#, 0), ("x=None", #"{"x":"None"}"#, 1), ("x=\"a", #"{"x":"\"a"}"#, 1), ("x=[1,2]", #"{"x":[1,2]}"#, 0),
            ("x=a=b", #"{"x":"a=b"}"#, 0), ("x=", #"{"x":""}"#, 0),
        ] as [(String, String, Int)])
    func aForcedTextIsNoted(_ argument: String, _ json: String, _ notes: Int) throws {
        let arguments = try DataArguments([argument])
        #expect(arguments.json == json)
        #expect(arguments.notes.count == notes, "\(arguments.notes)")
        for note in arguments.notes { #expect(note.contains("--data x is sent as the text")) }
    }

    /// A whole object is told how it can be given, also one with an equals sign.
    @Test(arguments: [#"{"a":1}"#, #"{"a":"b=c"}"#, "a", "=1", "@file"])
    func anArgumentThatIsNoPairNamesTheOtherForms(_ argument: String) {
        let failure = #expect(throws: Failure.self) { try DataArguments(["n=17", argument]) }
        #expect(failure?.code == .data && failure?.message == "--data \(argument) is not key=value")
        #expect(failure?.hint?.contains("--data @file") == true && failure?.hint?.contains("--data -") == true)
    }
}
