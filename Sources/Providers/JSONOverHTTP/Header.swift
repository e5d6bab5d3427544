import TidingsProvider

/// One header of every call.
struct Header: Sendable, Hashable {
    enum Value: Sendable, Hashable {
        case template(ValueTemplate, HeaderEncoding)
        /// A secret value. Never shown, and not a template.
        case secret(String)
    }

    let name: String
    let value: Value

    var placeholders: [Placeholder] {
        if case .template(let template, _) = value { template.placeholders } else { [] }
    }

    var secret: String? {
        if case .secret(let text) = value { text } else { nil }
    }

    /// Returns the value for a delivery, without white space at its ends. Empty if the delivery has no text for it.
    func render(_ values: DeliveryValues) -> String {
        switch value {
        case .secret(let text): text
        case .template(let template, let encoding): encoding.render(template, values.withKeys(as: .header))[...].trimmingBlanks
        }
    }
}

/// Whether the text has no control characters other than the tab. With a line break, a value could add a header.
func isHeaderText(_ text: String) -> Bool {
    text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
}
