import CCurl

/// Translates libcurl's code. The same code has two meanings: if it comes before the request began, the receiver certainly saw nothing. If
/// it comes after, the receiver may have seen the request.
func failureKind(of code: CURLcode, afterSendBegan: Bool) -> HTTPFailure.Kind {
    switch code {
    case CURLE_OPERATION_TIMEDOUT: afterSendBegan ? .timeoutAfterSend : .timeoutBeforeSend
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .dns
    case CURLE_URL_MALFORMAT: .invalidURL
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
        CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
        CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_CRL_BADFILE, CURLE_USE_SSL_FAILED:
        afterSendBegan ? .resetAfterSend : .tls
    case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM,
        CURLE_SEND_FAIL_REWIND, CURLE_COULDNT_CONNECT:
        afterSendBegan ? .resetAfterSend : .connect
    // The default includes a response that is not HTTP, a broken chunk, and a response head over its limit.
    default: afterSendBegan ? .protocolError : .connect
    }
}
