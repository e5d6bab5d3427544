import CNGHTTP2

/// A setting that this side of a connection announces (RFC 9113 section 6.5.2).
package enum HTTP2Setting: Sendable {
    /// The peer must not push.
    case noPush
    /// The largest number of streams that the peer may have open at once.
    case maximumConcurrentStreams(UInt32)

    var entry: nghttp2_settings_entry {
        switch self {
        case .noPush: nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
        case .maximumConcurrentStreams(let count):
            nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: count)
        }
    }
}
