/// An error between this process and a RabbitMQ broker.
///
/// ``description`` is safe to show and to log, because it never contains a password or a message body.
public enum AMQPError: Error, Sendable, Hashable {
    /// No connection was established: refused, unreachable, unknown host, or no answer within the connect time-out.
    case connectFailed(reason: String, host: String)
    /// The broker refused the user name and password (reply code 403 during login).
    case authenticationRefused
    /// The broker closed the connection. The code is the broker's own (AMQP 0-9-1 section 1.2), or nil if the broker gave none.
    case connectionClosed(code: Int?, text: String)
    /// The broker closed the channel. The code is the broker's own: 404 not found, 406 precondition failed, 403 access refused…
    case channelClosed(code: Int, text: String)
    /// No bytes arrived for two heartbeat intervals.
    case heartbeatTimeout
    /// The socket failed. The text comes from the library or the system.
    case socket(String)
    /// The broker cancelled the consumer of this queue, for example because the queue was deleted.
    case consumerCancelled(queue: String)
    /// A call or a confirm did not complete in time. The text names the missing answer.
    case timedOut(String)
    /// The broker takes no messages of publishers. The reason is the broker's own, such as `low on memory`.
    case blocked(reason: String)
    /// The connection URL is invalid. The text names the wrong part and does not quote the URL.
    case invalidURL(String)
    /// TLS could not be set up, or the broker's certificate was not accepted.
    case tlsFailed(String)
    /// The message breaks a limit of the protocol: a short string over 255 bytes, or headers that do not fit one frame.
    case invalidMessage(String)
    /// The object was closed, or the waiting task was cancelled, before the outcome was known.
    case stopped

    /// Whether the error speaks of the node, so that another node may serve. A refused login, message or queue would be refused everywhere.
    ///
    /// ``blocked(reason:)`` is not among them: an alarm of one node makes every node of the cluster block its publishers.
    var isOfTheNode: Bool {
        switch self {
        case .connectFailed, .connectionClosed, .heartbeatTimeout, .socket, .timedOut: true
        case .authenticationRefused, .channelClosed, .consumerCancelled, .blocked, .invalidURL, .tlsFailed, .invalidMessage, .stopped: false
        }
    }

    /// Whether the same action may succeed later without a change of configuration, permissions or topology.
    public var isRetryable: Bool {
        switch self {
        case .connectFailed, .heartbeatTimeout, .socket, .consumerCancelled, .timedOut, .blocked: true
        case .connectionClosed(let code, _): code != 530 && code != 403
        case .channelClosed(let code, _): !(400..<500).contains(code) || code == 405
        case .authenticationRefused, .invalidURL, .tlsFailed, .invalidMessage, .stopped: false
        }
    }

    /// The words of RabbitMQ with a 541 for a quorum queue whose members have not found together in time. Before the name of the queue stands
    /// "a queue" or "quorum queue": two places of the broker notice it. The cause, `cluster_not_formed`, is at the end of the text, and long
    /// names cut it off.
    package static let unformedQueue = "Cannot declare "

    /// Whether a busy broker could not form a quorum queue in time. It has removed what there was of the queue.
    var isUnformedQueue: Bool {
        switch self {
        case .connectionClosed(code: 541, let text), .channelClosed(code: 541, let text): text.contains(Self.unformedQueue)
        default: false
        }
    }
}

extension AMQPError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .connectFailed(let reason, let host): "cannot connect to \(host): \(reason)"
        case .authenticationRefused: "the broker refused the user name or password"
        case .connectionClosed(let code?, let text): "the broker closed the connection: \(code) \(text)"
        case .connectionClosed(nil, let text): "the broker closed the connection: \(text)"
        case .channelClosed(let code, let text): "the broker closed the channel: \(code) \(text)"
        case .heartbeatTimeout: "the broker was silent for two heartbeat intervals"
        case .socket(let text): "the connection to the broker failed: \(text)"
        case .consumerCancelled(let queue): "the broker cancelled the consumer of queue \(queue)"
        case .timedOut(let what): "timed out waiting for \(what)"
        case .blocked(let reason): "the broker blocks publishers: \(reason)"
        case .invalidURL(let why): "invalid AMQP URL: \(why)"
        case .tlsFailed(let why): "TLS to the broker failed: \(why)"
        case .invalidMessage(let why): "invalid AMQP message: \(why)"
        case .stopped: "stopped before the outcome was known"
        }
    }
}
