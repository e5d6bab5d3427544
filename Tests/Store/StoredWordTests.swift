import Testing
import TidingsCore
import TidingsPostgres
import TidingsTestSupport

@testable import TidingsStore

/// The words of closed lists, as columns hold them. A word that this version does not know is an error and never a guess.
@Suite struct StoredWordTests {
    @Test func everyKnownWordIsReadBackAndAnUnknownOneIsAnError() async throws {
        try await withTestSystem(usesBroker: false) { system in
            try await expectClosed(Channel.self, in: system)
            try await expectClosed(TidingsCore.Category.self, in: system)
            try await expectClosed(Lane.self, in: system)
            try await expectClosed(DeliveryState.self, in: system)
            try await expectClosed(ReasonCode.self, in: system)
        }
    }

    private func expectClosed<Word: StoredWord & CaseIterable & Equatable>(_: Word.Type, in system: TestSystem) async throws {
        let words = Word.allCases.map(\.rawValue)
        let rows = try await system.query("select word from unnest(\(words)) with ordinality as told(word, place) order by place").rows
        #expect(try rows.map { try $0.decode(Word.self) } == Array(Word.allCases))

        let strange = try #require(try await system.query("select 'writtenByANewerVersion'::text as word").rows.first)
        let first = #expect(throws: PostgresError.self) { try strange.decode(Word.self) }
        let named = #expect(throws: PostgresError.self) { try strange.decode("word", as: Word.self) }
        #expect(first?.kind == .decoding && named?.kind == .decoding)
    }
}
