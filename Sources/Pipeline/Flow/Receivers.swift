import TidingsCore

/// The hosts that a provider calls, and their endpoints. Both have a breaker and a slow start.
///
/// An answer is evidence only about what answered. So an endpoint that fails is held back by itself, and the host is judged by its
/// endpoints:
///
/// - A failure of an endpoint is news about its host only if the endpoint worked before. Several endpoints must begin to fail, without a
///   good answer of any endpoint of the host between them, before the host is held.
/// - A lost connection concerns the host. It does not count against the endpoint.
/// - An endpoint that asks for fewer calls is paused by itself, see ``Throttle``.
/// - While the breaker of a host is open, endpoints that have not failed are tried one after another. A good answer closes the breaker.
/// - The last places at a host are kept for endpoints without a call under way. Endpoints that have failed share a few places. So calls that
///   hang cannot take all places, see ``room(for:_:at:)``.
struct Receivers {
    /// Whether there is room for a call.
    enum Room {
        case free
        /// Other endpoints of the host may have room.
        case endpointFull
        case hostFull
    }

    /// The number of calls at once to one host.
    struct Share {
        let calls: Int
        /// See ``ProviderLimits/spareCallsPerHost``.
        let spare: Int
    }

    private var hosts: RememberedReceivers<String>
    private var endpoints: RememberedReceivers<Breaker.Part>
    private var ages = CallAges()

    /// - Parameter usual: the number of calls at once to one healthy host.
    init(usual: Int) {
        hosts = RememberedReceivers(limit: SendRoom.rememberedHosts, keepsOrdinary: true, policy: .standard, usual: usual)
        endpoints = RememberedReceivers(limit: SendRoom.rememberedEndpoints, keepsOrdinary: false, policy: .ofEndpoint, usual: usual)
    }

    mutating func change(usual: Int) {
        hosts.change(usual: usual)
        endpoints.change(usual: usual)
    }

    var knownHosts: Int { hosts.count }
    var knownEndpoints: Int { endpoints.count }

    func host(_ name: String) -> RememberedReceivers<String>.Receiver? { hosts[name] }

    // MARK: Breakers

    /// Asks the breakers of endpoint and host. Returns the time at which a refused call is requeued, nil if the call may begin.
    mutating func refusal(of call: GateCall, isUrgent: Bool, now: Timestamp) -> Timestamp? {
        let parts = call.parts
        if let endpoint = parts.endpoint, let known = endpoints[endpoint],
            case .refused(let until) = known.breaker.admission(of: parts.delivery, parts.prospect, at: now)
        {
            return endpoints.place(of: endpoint, for: parts.delivery, parts.prospect, isUrgent: isUrgent, behind: until, now: now)
        }
        guard let known = hosts[call.host] else { return nil }
        let prospect = prospect(at: parts.endpoint, of: known.breaker)
        guard case .refused(let until) = known.breaker.admission(of: parts.endpoint, prospect, at: now) else { return nil }
        return hosts.place(of: call.host, for: parts.endpoint, prospect, isUrgent: isUrgent, behind: until, now: now)
    }

    /// Returns the time at which a call to an endpoint that asked for a pause is requeued, nil if there is no pause.
    mutating func endOfPause(of call: GateCall, isUrgent: Bool, now: Timestamp) -> Timestamp? {
        guard let endpoint = call.parts.endpoint, let end = endpoints[endpoint]?.throttle.end(at: now) else { return nil }
        return endpoints.place(of: endpoint, isUrgent: isUrgent, behind: end, now: now)
    }

    /// Whether the call would be a trial call, of the endpoint or of the host.
    func isTrial(_ call: GateCall) -> Bool {
        if let endpoint = call.parts.endpoint, endpoints[endpoint]?.breaker.isOpen == true { return true }
        return hosts[call.host]?.breaker.isOpen == true
    }

    /// The prospect of a call at its host. It is good if the endpoint has not failed, unless the host cannot be reached at all.
    private func prospect(at endpoint: Breaker.Part?, of host: Breaker) -> Breaker.Prospect {
        guard let endpoint else { return .unknown }
        guard isSound(endpoint) else { return .bad }
        return host.isUnreachable ? .unknown : .good
    }

    private func isSound(_ endpoint: Breaker.Part) -> Bool { endpoints[endpoint]?.breaker.isSound ?? true }

    // MARK: Room

    /// Whether the host of the call has no call under way.
    func isFirst(_ call: GateCall) -> Bool { hosts[call.host]?.inside ?? 0 == 0 }

    /// Whether the endpoint of the call has not failed since its last good answer.
    func isSound(_ call: GateCall) -> Bool { call.parts.endpoint.map { isSound($0) } ?? true }

    /// Whether a call finds room at its endpoint and its host.
    ///
    /// - One part in ``SendRoom/reservedPart`` of the share is the reserve. An endpoint with a call under way gets none of the reserve.
    /// - All endpoints that have failed get as many calls together as the reserve has.
    /// - An endpoint that has not failed and has no call under way gets a place as long as there is one. While calls to the host hang or go
    ///   to endpoints that have failed, it also gets a spare one.
    func room(for call: GateCall, _ share: Share, at now: Timestamp) -> Room {
        guard let host = hosts[call.host] else { return .free }
        // Endpoints that have failed and the others start slowly, each group by itself. Calls that hang do not keep others from their first.
        let limit = host.slowStart.limit ?? .max
        let stuck = max(host.suspects, ages.hanging(at: call.host, now))
        let starting = host.inside - stuck
        guard let endpoint = call.parts.endpoint else { return host.inside < share.calls && starting < limit ? .free : .hostFull }
        let known = endpoints[endpoint]
        // The endpoint may have asked for a pause while the call waited.
        if known?.throttle.end(at: now) != nil { return .endpointFull }
        let (reserve, unreserved) = (SendRoom.reserve(of: share.calls), SendRoom.unreserved(of: share.calls))
        if let known, known.inside >= min(unreserved, known.slowStart.limit ?? .max) { return .endpointFull }
        guard known?.breaker.isSound ?? true else {
            return host.inside < share.calls && host.suspects < min(reserve, limit) ? .free : .endpointFull
        }
        guard known?.inside ?? 0 == 0 else { return host.inside < unreserved && starting < limit ? .free : .endpointFull }
        let spare = stuck > 0 ? share.spare : 0
        // One more than the limit of the slow start, because a bad endpoint may have the first call.
        return host.inside < share.calls + spare && starting <= limit ? .free : .hostFull
    }

    /// The room for a call that waits. If a breaker has opened meanwhile, there is none: the call goes on waiting and is requeued.
    func room(forWaiting call: GateCall, _ share: Share, at now: Timestamp) -> Room {
        if hosts[call.host]?.breaker.isOpen == true { return .hostFull }
        return isTrial(call) ? .endpointFull : room(for: call, share, at: now)
    }

    /// Returns the time at which a call that found no room is requeued. The calls to a busy endpoint queue by themselves.
    mutating func place(of call: GateCall, isUrgent: Bool, now: Timestamp) -> Timestamp {
        if let endpoint = call.parts.endpoint, endpoints[endpoint] != nil {
            return endpoints.place(of: endpoint, isUrgent: isUrgent, behind: now, now: now)
        }
        return hosts.place(of: call.host, isUrgent: isUrgent, behind: now, now: now)
    }

    // MARK: Calls

    mutating func occupy(_ call: GateCall, at now: Timestamp) {
        ages.add(call)
        guard let endpoint = call.parts.endpoint else { return hosts.occupy(call.host, at: now) }
        let isSuspect = !isSound(endpoint)
        hosts.occupy(call.host, for: endpoint, isSuspect ? .bad : .unknown, isSuspect: isSuspect, at: now)
        endpoints.occupy(endpoint, for: call.parts.delivery, call.parts.prospect, at: now)
    }

    /// Ends a call. Returns the changes of the two breakers.
    mutating func leave(
        _ call: GateCall, _ evidence: Outcome.Evidence, requestedPause: Duration?, at now: Timestamp
    ) -> (host: BreakerChange.Kind?, endpoint: BreakerChange.Kind?) {
        ages.remove(call)
        guard let endpoint = call.parts.endpoint else { return (hosts.leave(call.host, evidence, of: nil, at: now), nil) }
        let isAboutHost = evidence == .unreachable
        let wasSound = isSound(endpoint)
        let change = endpoints.leave(
            endpoint, isAboutHost ? .none : evidence, of: call.parts.delivery, requestedPause: requestedPause, at: now)
        let inside = endpoints[endpoint]?.inside ?? 0
        hosts.addSuspects((isSound(endpoint) ? 0 : inside) - (wasSound ? 0 : inside + 1), at: call.host)
        let isNews = isAboutHost || wasSound
        return (hosts.leave(call.host, evidence, of: isAboutHost ? nil : endpoint, isNews: isNews, at: now), change)
    }
}
