import TidingsContracts
import TidingsCore

extension PackEntry {
    /// An entry with every member set, distinct by `number`.
    static func sample(_ number: UInt64, title: String? = "Your order shipped", data: String = #"{"orderId":"17"}"#) -> PackEntry {
        let created = Timestamp(seconds: 1_790_000_000)
        let header = DeliveryHeader(
            notificationID: NotificationID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number), ordinal: 1, attempt: 2,
            tenant: "default", recipient: "user-\(number)", type: "orderUpdate", category: .transactional, createdAt: created,
            traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", expiresAt: created.adding(.seconds(86_400)))
        return PackEntry(
            header: header,
            content: Content(
                title: title, body: "It arrives \"tomorrow\".\n\u{1F4E6} \u{01}", data: data, groupKey: "orders", collapseKey: "order-17"),
            endpoint: "https://example.com/hook", decidedAt: created.adding(.microseconds(1_234)),
            validUntil: created.adding(.seconds(900)), escalates: true, hasStandby: true, waitsForProvider: true)
    }

    /// An entry without any optional member.
    static func bare(_ number: UInt64) -> PackEntry {
        let created = Timestamp(seconds: 1_790_000_000)
        let header = DeliveryHeader(
            notificationID: NotificationID(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number), ordinal: 0, attempt: 1,
            tenant: "default", recipient: "user-\(number)", type: "metadata", category: .system, createdAt: created,
            expiresAt: .distantFuture)
        return PackEntry(header: header, decidedAt: created, validUntil: created)
    }
}

extension Pack {
    static func sample(_ entries: [PackEntry] = [.sample(1), .bare(2)]) -> Pack {
        Pack(
            id: PackID(high: 0x0190_0000_0000_7abc, low: 0x8000_0000_0000_0001), channel: .webhook, provider: "webhook", lane: .urgent,
            entries: entries)
    }
}
