import Testing

/// PostgreSQL compares ids by bytes. Swift's own comparison also equates canonically equivalent texts, such as `é` and `e` with a combining
/// accent. For the database these are two ids, and so two people.
@Suite struct ByteComparisonTests {
    private static let folders = ["Sources/Store", "Sources/Pipeline", "Sources/Modules", "Sources/Web", "Sources/Interfaces/API"]

    /// The names of members and variables that hold an id as a text.
    private static let ids: Set = [
        "tenant", "recipient", "recipientID", "liker", "source", "eventID", "producer", "device", "deviceID", "endpoint", "token",
        "identity", "groupKey", "collapseKey", "reference", "provider", "everyTenant", "defaultTenant",
    ]

    @Test func idsAreComparedByBytes() throws {
        for folder in Self.folders {
            for file in try Repository.files(below: folder) {
                for (index, line) in file.code where Self.comparesIDs(line) {
                    Issue.record("\(file.place(index)) compares ids as Swift does: use RecipientKey, isSameText or the bytes")
                }
            }
        }
    }

    @Test(arguments: [
        "if last.recipient == recipient {", "guard key.tenant != nil && key.tenant! != tenant else { return }", "$0.device == device,",
        "x.filter { $0.source != \"/shop\" }", "let isOwn = (owner?.endpoint == id)", "a.id == b.eventID,",
        "where row.tenant == Store.everyTenant",
    ])
    func aComparisonOfTextsIsFound(line: String) { #expect(Self.comparesIDs(line)) }

    @Test(arguments: [
        "if judged.endpoint == nil {", "guard key.tenant != nil else { return }", "case .provider where owner == .stranger(nil):",
        "if one.person == other.person {", "static func == (one: Key, other: Key) -> Bool {", "if devices.count == 1 {", "source == ",
        "isSameText(one.tenant, other.tenant)", "where tenant = \\(tenant) and id = \\(device)",
    ])
    func anotherComparisonIsNot(line: String) { #expect(!Self.comparesIDs(line)) }

    private static func comparesIDs(_ line: String) -> Bool {
        let words = line.split(separator: " ")
        return words.indices.dropFirst().dropLast().contains { position in
            guard words[position] == "==" || words[position] == "!=" else { return false }
            let left = String(words[position - 1].reversed().prefix(while: isPartOfPath).reversed())
            let right = String(words[position + 1].prefix(while: isPartOfPath))
            // Whether there is an id, and which case an enum has, are no comparisons of texts.
            guard left != "nil", right != "nil", !right.hasPrefix(".") else { return false }
            return [left, right].contains { ids.contains(lastMember(of: $0)) }
        }
    }

    private static func isPartOfPath(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "_.?!$".contains(character)
    }

    private static func lastMember(of path: String) -> String {
        String(path.split(separator: ".").last ?? "").filter { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
