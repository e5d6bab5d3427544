import TidingsServer

/// Ids for events of the command line: 128 random bits in hexadecimal.
package enum RandomIdentifier {
    package static func make() -> String {
        func hexadecimal(_ value: UInt64) -> String {
            let digits = String(value, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return hexadecimal(.random(in: .min ... .max)) + hexadecimal(.random(in: .min ... .max))
    }
}
