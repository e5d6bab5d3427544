package import TidingsStore

extension WorkerObstacle {
    /// The obstacle in words, as `/health/ready` names it.
    package var words: String {
        let time = "for \(Int(lasting / .seconds(1))) s"
        return switch kind {
        case .blocked: "broker: \(subject) is blocked \(time): \(detail)"
        case .unconfirmed: "broker: \(subject) gets no confirm \(time)"
        case .refused: "broker: messages of \(subject) are refused \(time)"
        case .commitsRefused: "commits: the database refuses them \(time): \(detail)"
        case .commitsWait: "commits: none \(time)"
        case .unfinished: "intents: a batch in work is not committed \(time)"
        }
    }
}
