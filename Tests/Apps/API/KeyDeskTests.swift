import Synchronization
import Testing
import TidingsStore

@testable import TidingsAPI

/// Keys are looked up together: a flood of wrong keys costs few queries.
@Suite struct KeyDeskTests {
    private static func text(_ number: Int) throws -> APIKeyText {
        let digits = String(number, radix: 16)
        let id = String(repeating: "0", count: 16 - digits.count) + digits
        return try #require(APIKeyText("tid_\(id)_\(String(repeating: "A", count: 43))"))
    }

    private static func key(_ text: APIKeyText) -> CallerKey { CallerKey(id: text.id, name: text.id, tenant: nil, scopes: []) }

    @Test func keysThatComeDuringAQueryShareTheNext() async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let batches = Mutex<[Int]>([])
        let desk = KeyDesk { texts in
            let number = batches.withLock { batches -> Int in
                batches.append(texts.count)
                return batches.count
            }
            if number == 1 {
                begin.finish()
                for await _ in gate {}
            }
            return texts.map(Self.key)
        }
        let texts = try (0...100).map(Self.text)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask { try await desk.key(texts[0])?.id == texts[0].id }
            for await _ in begun {}
            for text in texts.dropFirst() { group.addTask { try await desk.key(text)?.id == text.id } }
            while await desk.waiting < 100 { await Task.yield() }
            opener.finish()
            for try await isRight in group { #expect(isRight) }
        }
        #expect(batches.withLock { $0 } == [1, 100])
    }

    @Test func aQueryThatFailsFailsItsKeysAlone() async throws {
        struct Away: Error {}
        let isAway = Mutex(true)
        let desk = KeyDesk { texts in
            if isAway.withLock({ $0 }) { throw Away() }
            return texts.map { _ in nil }
        }
        let text = try Self.text(1)
        await #expect(throws: Away.self) { try await desk.key(text) }
        isAway.withLock { $0 = false }
        #expect(try await desk.key(text) == nil)
    }
}
