/// The last ``CaptureLimits/remembered`` requests, in a ring.
struct RecentRequests: Sendable {
    private var ring: [CapturedRequest] = []
    private var oldest = 0

    mutating func append(_ request: CapturedRequest) {
        if ring.count < CaptureLimits.remembered {
            ring.append(request)
        } else {
            ring[oldest] = request
            oldest = (oldest + 1) % ring.count
        }
    }

    /// The requests, oldest first.
    var inOrder: [CapturedRequest] { Array(ring[oldest...] + ring[..<oldest]) }
}
