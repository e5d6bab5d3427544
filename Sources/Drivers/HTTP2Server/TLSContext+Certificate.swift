import CTLS
import TidingsHTTP
import TidingsHTTP2

extension TLSContext {
    /// Creates a context for connections from clients.
    convenience init(presenting certificate: SelfSignedCertificate) throws(HTTPFailure) {
        try unsafe self.init(TLS_server_method())
        guard unsafe certificate.install(in: pointer) else {
            throw HTTPFailure(kind: .tls, requestMayHaveArrived: false, message: "the certificate cannot be used: \(TLSError.dequeue())")
        }
        unsafe SSL_CTX_set_alpn_select_cb(pointer, chooseHTTP2, nil)
    }
}

/// `SSL_CTX_set_alpn_select_cb`: accepts HTTP/2 and refuses every other protocol.
private func chooseHTTP2(
    _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ chosenLength: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let offered = unsafe offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    var index = 0
    while index < Int(offeredLength) {
        let length = unsafe Int(offered[index])
        guard index + 1 + length <= Int(offeredLength) else { break }
        if length == 2, unsafe offered[index + 1] == UInt8(ascii: "h"), unsafe offered[index + 2] == UInt8(ascii: "2") {
            unsafe chosen?.pointee = unsafe offered + index + 1
            unsafe chosenLength?.pointee = 2
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + length
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
