import Glibc
import TidingsCore
import TidingsHTTP
import TidingsProvider

/// Delivers by push through Airship. Airship knows a person by a named user, which is the delivery's recipient, and keeps the devices
/// itself.
///
/// Sends `POST /api/push` with one push object for each delivery, up to 100 in a call. Success means that Airship accepted the push. The
/// answer tells neither whether the person has a device nor whether a device was reached.
///
/// The call has no idempotency key. If an attempt ended without an answer, its retry may deliver the push a second time.
struct AirshipProvider: ConnectedProvider {
    /// The most push objects in one call.
    static let maximumTogether = 100
    /// 5 MiB.
    static let maximumBodyBytes = 5 << 20

    let connection: ServiceConnection
    let channel = Channel.push
    let limits: ProviderLimits
    private let configuration: AirshipConfiguration

    init(_ configuration: AirshipConfiguration, _ connection: ServiceConnection) {
        self.connection = connection
        self.configuration = configuration
        limits = configuration.call.limits(maximumBodyBytes: Self.maximumBodyBytes, maximumTogether: Self.maximumTogether)
    }

    func send(_ item: OutgoingDelivery) async -> SendResult {
        await send(together: [item])[0]
    }

    /// Sends every sendable delivery in one call. If one object in an array is bad, Airship refuses the whole array and sends nothing.
    /// Tidings then sends each object alone, once, within the remaining time, so that each delivery gets an answer of its own.
    func send(together items: [OutgoingDelivery]) async -> [SendResult] {
        let deadline = ContinuousClock.now + configuration.call.timeout
        var results: [SendResult?] = []
        var pushes: [[UInt8]] = []
        var notes: [String?] = []
        var places: [Int] = []
        for (place, item) in items.enumerated() {
            do throws(Refusal) {
                let push = try airshipPush(of: item, platforms: configuration.platforms, now: connection.now())
                pushes.append(push.message)
                notes.append(push.note)
                places.append(place)
                results.append(nil)
            } catch {
                results.append(error.result)
            }
        }
        var answers = await post(pushes, until: deadline)
        if pushes.count > 1, case .rejected? = answers.first?.outcome {
            answers = await postEachAlone(pushes, refusedWith: answers, until: deadline)
        }
        for ((place, note), answer) in zip(zip(places, notes), answers) { results[place] = answer.noting(note) }
        return results.compactMap(\.self)
    }

    private func postEachAlone(
        _ pushes: [[UInt8]], refusedWith answers: [SendResult], until deadline: ContinuousClock.Instant
    ) async -> [SendResult] {
        // Send the calls concurrently, because they share the remaining time of one call. The transport keeps to the limit of concurrent
        // calls.
        await withTaskGroup(of: (Int, SendResult).self) { group in
            for (place, push) in pushes.enumerated() { group.addTask { (place, await post([push], until: deadline)[0]) } }
            var answers = answers
            for await (place, answer) in group { answers[place] = answer }
            return answers
        }
    }

    /// Sends one call. Returns as many results as there are push objects.
    private func post(_ pushes: [[UInt8]], until deadline: ContinuousClock.Instant) async -> [SendResult] {
        guard !pushes.isEmpty else { return [] }
        let body = airshipBody(of: pushes)
        guard body.count <= Self.maximumBodyBytes else {
            let refusal = Refusal(.payloadTooLarge, "a request of \(body.count) bytes is over the limit of \(Self.maximumBodyBytes)")
            return Array(repeating: refusal.result, count: pushes.count)
        }
        var request = configuration.call.request(
            url: configuration.call.endpoint + "/api/push", headers: configuration.headers, body: body)
        request.totalTimeout = ContinuousClock.now.duration(to: deadline)
        let secrets = configuration.secrets
        return airshipResults(of: await connection.send(request), count: pushes.count, now: connection.now()).map { $0.hiding(secrets) }
    }
}
