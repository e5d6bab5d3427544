import TidingsCore
import TidingsProvider

extension ConformanceTrial {
    /// Registers tokens and sends to them. The reader at registration and the send must judge every text alike.
    func checkTokens() async {
        guard let tokens = subject.tokens(calling: server.service) else { return }
        guard let first = tokens.spellings.first, let device = register(first, tokens) else { return complain("it names no token") }
        for spelling in tokens.spellings {
            guard let token = register(spelling, tokens) else { continue }
            if token.identity != device.identity { complain("spelling \(number(of: spelling, in: tokens.spellings)) is another device") }
            if register(token.text, tokens) != token { complain("the stored form of a token is not read as the same token") }
            for text in [spelling, token.text] {
                let result = await send(to: text)
                if case .accepted = result.outcome {} else { complain("a registered token came to \(result)") }
            }
        }
        for other in tokens.others where register(other, tokens)?.identity == device.identity {
            complain("other token \(number(of: other, in: tokens.others)) is the same device")
        }
        for text in tokens.malformed { await checkMalformed(text, tokens) }
    }

    private func checkMalformed(_ text: String, _ tokens: ConformanceTokens) async {
        let place = "malformed token \(number(of: text, in: tokens.malformed))"
        do throws(DeviceToken.Fault) {
            _ = try tokens.read(text)
            complain("\(place) was registered")
        } catch {
            complainOfSecrets(in: error.description, "the fault of a token")
        }
        let before = server.deliveries
        let result = await send(to: text)
        if result.outcome != .rejected(.tokenMalformed) { complain("\(place) came to \(result)") }
        if server.deliveries != before { complain("\(place) was sent to") }
    }

    /// Returns the registered token. Complains and returns nil if the token is refused.
    private func register(_ text: String, _ tokens: ConformanceTokens) -> DeviceToken? {
        do throws(DeviceToken.Fault) {
            return try tokens.read(text)
        } catch {
            complain("a token was refused: \(error)")
            return nil
        }
    }

    private func send(to token: String) async -> SendResult {
        server.become(.answering(.accepted))
        var item = delivery
        item.endpointAddress = token
        return await send(item)
    }

    /// The number of a text in its list, from 1. The text itself is a secret.
    private func number(of text: String, in list: [String]) -> Int { (list.firstIndex(of: text) ?? 0) + 1 }
}
