import TidingsCore
import TidingsProvider

/// One header of every call.
struct Header: Sendable, Hashable {
    enum Value: Sendable, Hashable {
        case template(ValueTemplate)
        /// A secret value. Never shown, and not a template.
        case secret(String)
    }

    let name: String
    let value: Value

    var placeholders: [Placeholder] {
        if case .template(let template) = value { template.placeholders } else { [] }
    }

    var secret: String? {
        if case .secret(let text) = value { text } else { nil }
    }

    func render(_ values: DeliveryValues) throws(Refusal) -> String {
        switch value {
        case .secret(let text): return text
        case .template(let template):
            let text = template.render(values.withKeys(as: .header))
            guard isHeaderText(text) else {
                throw Refusal(.providerRejected, "the value of the header \(name) would hold a control character")
            }
            return text
        }
    }
}

/// Whether the text has no control characters other than the tab. With a line break, a value could add a header.
func isHeaderText(_ text: String) -> Bool {
    text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
}
