import Testing

/// A column of a report is read with `column(_:as:)`, which throws if the row has lost the column. A subscript gives nil then, and the
/// command goes on with 0 or with nothing.
@Suite struct ReportColumnTests {
    /// Files that read other JSON than rows of reports.
    private static let reasons = [
        "Sources/Interfaces/Commands/Reconcile/EventRecords.swift": "events of a producer, in a file",
        "Sources/Interfaces/Commands/DevicePlanCommands.swift": "a request in the form of the API, which the store has made",
    ]

    @Test func noCommandReadsAColumnBySubscript() throws {
        var found: Set<String> = []
        for file in try Repository.files(below: "Sources/Interfaces/Commands") {
            for (index, line) in file.code where Self.readsMember(line) {
                found.insert(file.path)
                #expect(Self.reasons[file.path] != nil, "\(file.place(index)) reads a column by subscript: use column(_:as:)")
            }
        }
        for path in Self.reasons.keys where !found.contains(path) {
            Issue.record("\(path) reads no other JSON any more: take it off the list")
        }
    }

    @Test(arguments: [
        "let n = row[\"ready\"]?.intValue ?? 0", "rows.filter { $0[\"kind\"] == \"rejected\" }", "return latest?[\"state\"]",
        "value[\"data\"]?[\"tenant\"]", "    \"queue\": row[\"queue\"] ?? .null,",
    ])
    func aReadColumnIsFound(line: String) { #expect(Self.readsMember(line)) }

    @Test(arguments: [
        "object[\"done\"] = number(self.done)", "let path = environment[\"TIDINGS_DATABASE_URL\"]", "isOneOf: [\"open\", \"replayed\"])",
        "guard [\"on\"].contains(parts[1]) else { return }", "let n: Int = try row.column(\"ready\")", "for name in [\"hash\"] {",
    ])
    func anythingElseIsNot(line: String) { #expect(!Self.readsMember(line)) }

    /// Whether the line takes a member by a name in small letters. Names of the environment have capital letters.
    private static func readsMember(_ line: String) -> Bool { line.contains(/[\w?\)\]]\["[a-z_]+"\](?! = )/) }
}
