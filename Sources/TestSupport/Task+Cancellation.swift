import TidingsWaiting

extension Task {
    /// Waits for the end of the task, and returns its value. Throws the error of the task.
    ///
    /// If the waiting task is cancelled first, as by the time limit of a test, this cancels the task and throws a `CancellationError`. The
    /// property `value` would wait on, and a test that cannot end would hang instead of failing.
    public func valueUnlessCancelled() async throws -> Success {
        guard let outcome = await end(of: self).valueUnlessCancelled() else {
            cancel()
            throw _Concurrency.CancellationError()
        }
        return try outcome.get()
    }
}

/// The outcome of a task, which is there when the task has ended.
private func end<Success: Sendable, Failure: Error>(of task: Task<Success, Failure>) -> OneShot<Result<Success, Failure>> {
    let end = OneShot<Result<Success, Failure>>()
    // A wait for a task cannot be cancelled. So a task of its own waits, and ends with the awaited one.
    _ = Task { end.set(await task.result) }
    return end
}
