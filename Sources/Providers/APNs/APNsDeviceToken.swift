import TidingsCore
import TidingsEncodings

/// The most bytes of a device token, which has two hexadecimal digits for each byte. Apple documents no length; today's tokens have 32
/// bytes.
let longestAPNsToken = 200

/// Reads a device token of APNs: bytes, each as two hexadecimal digits. Digits of either case mean the same bytes, so the one form has
/// lower case.
///
/// Refused are the description of an `NSData` object, such as `{length = 32, bytes = 0x740f47 … }`, which lacks most of the bytes, and
/// the token in Base64.
func apnsDeviceToken(_ written: String) throws(DeviceToken.Fault) -> DeviceToken {
    let text = DeviceToken.trimmed(written)
    guard let bytes = Hexadecimal.decode(text), (1...longestAPNsToken).contains(bytes.count) else {
        throw DeviceToken.Fault(
            "the token has \(text.utf8.count) characters; APNs' are 1 to \(longestAPNsToken) bytes, each as two hexadecimal digits")
    }
    return try DeviceToken(Hexadecimal.encode(bytes))
}
