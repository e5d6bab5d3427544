/// Waits until a server answers, and notices at once when it ends instead or nobody wants it any more.
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

    /// Neither server can signal that it is ready, so it is asked this often: short beside the seconds a start takes.
    private static let interval = Duration.milliseconds(25)
}
