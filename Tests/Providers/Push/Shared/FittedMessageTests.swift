import Synchronization
import Testing
import TidingsCore
import TidingsJSON
import TidingsProvider

/// The content of a delivery that is too large for its service.
struct FittedMessageTests {
    private func delivery(
        title: String? = "Title", body: String? = nil, image: String? = nil, silent: Bool = false
    ) -> OutgoingDelivery {
        OutgoingDelivery(
            header: DeliveryHeader(
                notificationID: NotificationID(high: 0x019a_3c2e_0000_7000, low: 0x8000_0000_0000_0001), ordinal: 0, attempt: 1,
                tenant: "shop", recipient: "user-42", type: "orderUpdate", category: .transactional,
                createdAt: Timestamp(seconds: 1_767_225_600), expiresAt: nil),
            content: Content(title: title, body: body, imageURL: image), idempotencyKey: "k", silent: silent)
    }

    /// The texts that were sent, of a service that takes `limit` bytes of `title|body|image` in JSON.
    private func fitted(_ item: OutgoingDelivery, limit: Int) throws(Refusal) -> FittedMessage<[String?]> {
        try item.fitted { item in
            let texts = [item.title, item.body, item.imageURL]
            let bytes = texts.reduce(0) { $0 + ($1.map { JSON.string($0).serializedBytes.count - 2 } ?? 0) }
            return SizedMessage(texts, [PartSize("the page", bytes: bytes, limit: limit, of: "Pager")])
        }
    }

    @Test func contentThatFitsStaysAsItIs() throws {
        let fitted = try fitted(delivery(body: "Body", image: "https://i.test"), limit: 23)
        #expect(fitted.message == ["Title", "Body", "https://i.test"] && fitted.note == nil)
    }

    @Test func theImageGoesFirst() throws {
        let fitted = try fitted(delivery(body: "Body", image: "https://i.test"), limit: 22)
        #expect(fitted.message == ["Title", "Body", nil])
        #expect(fitted.note == "Pager takes 22 bytes for the page: the image was left out")
    }

    @Test func theBodyIsShortenedBeforeTheTitle() throws {
        let item = delivery(title: "A title", body: "A long body", image: "https://i.test")
        let rows: [(Int, [String?], String)] = [
            (18, ["A title", "A long body", nil], "the image was left out"),
            (17, ["A title", "A long …", nil], "the image was left out, the body was shortened from 11 to 10 bytes"),
            (11, ["A title", "A…", nil], "the image was left out, the body was shortened from 11 to 4 bytes"),
            (10, ["A title", nil, nil], "the image was left out, the body was left out"),
            (6, ["A t…", nil, nil], "the image was left out, the body was left out, the title was shortened from 7 to 6 bytes"),
            (4, ["A…", nil, nil], "the image was left out, the body was left out, the title was shortened from 7 to 4 bytes"),
        ]
        for (limit, texts, changes) in rows {
            let fitted = try fitted(item, limit: limit)
            #expect(fitted.message == texts, "\(limit)")
            #expect(fitted.note == "Pager takes \(limit) bytes for the page: \(changes)", "\(limit)")
        }
        let refusal = #expect(throws: Refusal.self) { try self.fitted(item, limit: 3) }
        #expect(refusal?.result == SendResult(.rejected(.payloadTooLarge), detail: "the page has 32 bytes; Pager takes 3"))
    }

    /// A service that wants two texts shows the title twice if there is no body: the message is longer without a short body.
    @Test func aBodyIsLeftOutOnlyIfItsFirstCharacterDoesNotFit() throws {
        let title = String(repeating: "t", count: 30)
        let body = String(repeating: "b", count: 25)
        let item = delivery(title: title, body: body)
        func sent(limit: Int) throws -> FittedMessage<[String?]> {
            try item.fitted { item in
                let texts = [item.title, item.body ?? item.title]
                let bytes = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
                return SizedMessage(texts, [PartSize("the page", bytes: bytes, limit: limit, of: "Pager")])
            }
        }
        for kept in 1...21 {
            let message = try sent(limit: 33 + kept).message
            #expect(message == [title, String(repeating: "b", count: kept) + "…"])
        }
        let short = String(repeating: "t", count: 13) + "…"
        let fitted = try sent(limit: 33)
        #expect(fitted.message == [short, short])
        #expect(
            fitted.note
                == "Pager takes 33 bytes for the page: the body was left out, the title was shortened from 30 to 16 bytes")
    }

    /// A service may refuse a message without a body or without an image, whatever its size is.
    @Test func reducedContentThatIsRefusedCountsAsTooLarge() throws {
        func sent(_ item: OutgoingDelivery, limit: Int, needsImage: Bool = false) throws -> FittedMessage<[String?]> {
            try item.fitted { item throws(Refusal) in
                guard item.body != nil, !needsImage || item.imageURL != nil else { throw Refusal(.contentMissing, "no body or no image") }
                let texts = [item.title, item.body]
                let bytes = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
                return SizedMessage(texts, [PartSize("the page", bytes: bytes, limit: limit, of: "Pager")])
            }
        }
        let item = delivery(title: "A title", body: "A long body")
        for (limit, texts) in [
            (17, ["A title", "A long …"]), (11, ["A title", "A…"]), (10, ["A t…", "A…"]), (8, ["A…", "A…"]),
        ] {
            #expect(try sent(item, limit: limit).message == texts)
        }
        #expect(
            try sent(item, limit: 8).note
                == "Pager takes 8 bytes for the page: the body was shortened from 11 to 4 bytes, the title was shortened from 7 to 4 bytes")
        #expect(try sent(delivery(title: "A title", body: "b"), limit: 7).message == ["A t…", "b"])
        let withImage = delivery(title: "A title", body: "A long body", image: "https://i.test")
        #expect(try sent(withImage, limit: 17, needsImage: true).message == ["A title", "A long …"])
        let tooLarge = #expect(throws: Refusal.self) { try sent(item, limit: 7) }
        #expect(tooLarge?.result.outcome == .rejected(.payloadTooLarge))
        let missing = #expect(throws: Refusal.self) { try sent(delivery(body: nil), limit: 7) }
        #expect(missing?.result.outcome == .rejected(.contentMissing), "the whole content is refused for its own reason")
    }

    /// Texts with characters of several code points, and the one character that a text repeats.
    private static let texts: [(String, String)] = [
        ("y", "y"), ("é", "é"), ("e\u{301}", "e\u{301}"), ("\"", "\""), ("\n", "\n"), ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"), ("🇩🇪", "🇩🇪"), ("👋🏽", "👋🏽"), ("한", "한"),
        ("\r\n", "\r\n"), ("क्षि", "क्षि"),
    ]

    @Test(arguments: texts)
    func aTextEndsAtTheEdgeOfACharacter(_ text: String, _ character: String) throws {
        let body = String(repeating: text, count: 2_000)
        for limit in [100, 101, 102, 103, 127, 128, 1_000] {
            let message = try fitted(delivery(title: nil, body: body), limit: limit).message
            let sent = try #require(message[1])
            #expect(sent.hasSuffix("…") && body.utf8.starts(with: sent.utf8.dropLast(3)))
            let kept = body.utf8.index(body.startIndex, offsetBy: sent.utf8.count - 3)
            #expect(body.indices.contains(kept), "\(sent.suffix(3)) is no whole character")
            // The next character would not fit.
            let used = JSON.string(sent).serializedBytes.count - 2
            #expect(used <= limit && used + JSON.string(character).serializedBytes.count - 2 > limit)
        }
    }

    /// A text may be one character of a million code points. No character is cut, and the time stays short.
    @Test func aHostileTextCostsABoundedNumberOfShortCalls() throws {
        let marks = "e" + String(repeating: "\u{301}", count: 1_000_000)
        let joined = String(repeating: "👩\u{200D}", count: 100_000)
        let flags = String(repeating: "🇩", count: 100_001)
        for (body, keeps) in [(marks, false), (joined, false), (flags, true), ("ab" + marks, true)] {
            let calls = Mutex(0)
            let fitted = try delivery(body: body).fitted { item in
                let bytes = (item.title?.utf8.count ?? 0) + (item.body?.utf8.count ?? 0)
                let count = calls.withLock { count in
                    count += 1
                    return count
                }
                if count > 1 { #expect(bytes <= 4_096 + 8) }
                return SizedMessage(item.body, [PartSize("the page", bytes: bytes, limit: 4_096, of: "Pager")])
            }
            #expect(calls.withLock { $0 } <= 15)
            #expect((fitted.message != nil) == keeps)
            #expect(fitted.message?.hasSuffix("…") != false)
        }
    }

    @Test func aMessageWithoutLongTextsIsNotShortened() {
        for item in [delivery(silent: true), delivery(title: nil), delivery(title: "abc")] {
            #expect(throws: Refusal.self) {
                try item.fitted { _ in SizedMessage(1, [PartSize("the page", bytes: 2, limit: 1, of: "Pager")]) }
            }
        }
    }
}
