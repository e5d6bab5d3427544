import Synchronization
import Testing
import TidingsStore
import TidingsWeb

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

    /// The record is a commit. While a standby is away, it waits.
    @Test func noKeyWaitsForTheRecordOfAUse() async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let (recorded, note) = AsyncStream.makeStream(of: [String].self)
        let isFirst = Mutex(true)
        let desk = KeyDesk(
            lookUp: { texts in texts.map(Self.key) },
            recordUse: { keys in
                let mustWait = isFirst.withLock { isFirst -> Bool in
                    defer { isFirst = false }
                    return isFirst
                }
                if mustWait { for await _ in gate {} }
                note.yield(keys.map(\.id))
            })
        let texts = try (0..<3).map(Self.text)
        for text in texts { #expect(try await desk.key(text)?.id == text.id) }
        // Every use is recorded in the end.
        opener.finish()
        var rest = Set(texts.map(\.id))
        for await ids in recorded {
            rest.subtract(ids)
            if rest.isEmpty { break }
        }
        #expect(rest.isEmpty)
    }

    @Test func fewKeysWait() async throws {
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let desk = KeyDesk { texts in
            begin.finish()
            for await _ in gate {}
            return texts.map(Self.key)
        }
        let texts = try (0...KeyDesk.mostWaiting).map(Self.text)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { _ = try await desk.key(texts[0]) }
            for await _ in begun {}
            for text in texts.dropFirst() { group.addTask { _ = try await desk.key(text) } }
            while await desk.waiting < KeyDesk.mostWaiting { await Task.yield() }
            let refused = await #expect(throws: Problem.self) { try await desk.key(texts[0]) }
            #expect(refused?.kind == .unavailable)
            opener.finish()
            try await group.waitForAll()
        }
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
