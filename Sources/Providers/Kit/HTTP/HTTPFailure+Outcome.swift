public import TidingsCore
public import TidingsHTTP

extension HTTPFailure {
    /// What a call without an answer means for its delivery. Once the request may have arrived, only `unknown` is true; before, a retry repeats
    /// nothing.
    ///
    /// An address or a header that cannot be used is the operator's mistake here; a provider whose addresses come from recipients looks at
    /// those kinds first.
    public var outcome: Outcome {
        switch kind {
        case .dns: .retry(after: nil, .dnsFailed)
        case .connect: .retry(after: nil, .connectionFailed)
        case .tls: .retry(after: nil, .tlsFailed)
        case .timeoutBeforeSend: .retry(after: nil, .timeout)
        case .timeoutAfterSend: requestMayHaveArrived ? .unknown(.timeout) : .retry(after: nil, .timeout)
        case .resetAfterSend, .protocolError, .cancelled:
            requestMayHaveArrived ? .unknown(.outcomeUnknown) : .retry(after: nil, .connectionFailed)
        case .addressRefused, .schemeRefused, .portRefused, .invalidURL, .invalidHeader: .misconfigured(.misconfigured)
        }
    }
}
