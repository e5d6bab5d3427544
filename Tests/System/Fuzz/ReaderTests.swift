import Testing
import TidingsTestSupport

/// Every reader of outside data gets inputs that no honest sender would send.
///
/// The targets run one after the other, because each one measures the memory of the whole process. `deploy/fuzz` is the long run. Each
/// failure, and ``FuzzSettings``, tell how to make one input again.
@Suite(.serialized, .timeLimit(.minutes(Patience.scaled(60))))
struct ReaderTests {
    @Test func json() { fuzz(JSONFuzz(), inputs: 1_000) }
    @Test func schemas() { fuzz(SchemaFuzz(), inputs: 1_000) }
    @Test func patterns() { fuzz(PatternFuzz(), inputs: 2_000) }
    @Test func intents() { fuzz(IntentFuzz(), inputs: 1_000) }
    @Test func packs() { fuzz(PackFuzz(), inputs: 2_000) }
    @Test func catalogues() { fuzz(CatalogueFuzz(), inputs: 200) }
    @Test func frames() { fuzz(FrameFuzz(), inputs: 2_000) }
    @Test func tables() { fuzz(TableFuzz(), inputs: 2_000) }
    @Test func answers() { fuzz(AnswerFuzz(), inputs: 2_000) }
    @Test func callbacks() throws { fuzz(try CallbackFuzz(), inputs: 2_000) }
    @Test func addresses() { fuzz(AddressFuzz(), inputs: 2_000) }
    @Test func cells() { fuzz(CellFuzz(), inputs: 2_000) }
    @Test func words() { fuzz(WordFuzz(), inputs: 1_000) }
    @Test func tokens() { fuzz(TokenFuzz(), inputs: 2_000) }

    private func fuzz(_ target: some FuzzTarget, inputs: UInt64, sourceLocation: SourceLocation = #_sourceLocation) {
        var run = FuzzRun(target, inputs: inputs)
        run.run(sourceLocation: sourceLocation)
    }
}
