import TidingsCatalogue
import TidingsCore
import TidingsJSON
import TidingsServer

/// The difference between the active catalogue and another one: in words, whether it breaks producers, and line by line.
struct CatalogueComparison: Sendable {
    private let sentences: [String]
    private let breaking: BreakingChanges
    private let lines: [String]
    private let hashes: (old: String, new: String)

    init(from old: Catalogue, _ oldName: String, to new: Catalogue, _ newName: String) {
        sentences = CatalogueDifference(from: old, to: new).sentences
        breaking = BreakingChanges(from: old, to: new)
        lines = UnifiedDifference.lines(from: CatalogueFile.print(old), oldName, to: CatalogueFile.print(new), newName)
        hashes = (old.hash, new.hash)
    }

    var differs: Bool { !lines.isEmpty }

    func print(as format: OutputFormat) {
        guard format == .text else {
            let verdict = breaking.sentences.isEmpty ? (breaking.unclear.isEmpty ? "compatible" : "unclear") : "breaking"
            return Output.one(
                [
                    "from": .string(hashes.old), "to": .string(hashes.new), "differs": .bool(differs), "verdict": .string(verdict),
                    "breaking": .array(breaking.sentences.map { .string($0) }), "unclear": .array(breaking.unclear.map { .string($0) }),
                    "changes": .array(sentences.map { .string($0) }), "diff": .string(lines.joined(separator: "\n")),
                ], as: format)
        }
        guard differs else { return }
        for sentence in sentences { Output.text(sentence) }
        Output.text("")
        if breaking.sentences.isEmpty, breaking.unclear.isEmpty { Output.text("not breaking: every intent that was accepted still is") }
        if !breaking.sentences.isEmpty { Output.text("breaking for producers:") }
        for sentence in breaking.sentences { Output.text("  \(sentence)") }
        if !breaking.unclear.isEmpty { Output.text("perhaps breaking, compare it yourself:") }
        for sentence in breaking.unclear { Output.text("  \(sentence)") }
        Output.text("")
        for line in lines { Output.text(CatalogueFile.shown(line)) }
    }
}
