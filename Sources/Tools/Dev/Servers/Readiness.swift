/// Waits until a server answers. Throws at once if the server ends instead or if the start is cancelled.
struct Readiness {
    let server: String
    let log: String
    let limit: Duration
    let abandoned: Flag

    func wait(for child: ChildProcess, until isReady: () -> Bool) throws(PrivateServersError) {
        let deadline = ContinuousClock.now + limit
        while true {
            if abandoned.isRaised { throw .cancelled }
            if isReady() { return }
            if let status = child.exit(within: Self.interval) { throw failure("it ended with status \(status)") }
            if ContinuousClock.now > deadline { throw failure("no answer within \(limit.components.seconds) s") }
        }
    }

    private func failure(_ reason: String) -> PrivateServersError {
        .didNotStart(server: server, reason: reason, log: log, lastLines: PrivateFile.lastLines(of: log))
    }

    /// The pause between two checks, because neither server can signal that it is ready. Short beside the seconds that a start takes.
    private static let interval = Duration.milliseconds(25)
}
