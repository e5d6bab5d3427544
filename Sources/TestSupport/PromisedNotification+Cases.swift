package import TidingsStore

extension PromisedNotification {
    /// Nil if the id names no notification.
    package var record: NotificationRecord? {
        if case .record(let record) = self { record } else { nil }
    }

    /// Nil if the id names a notification.
    package var promise: NotificationPromise? {
        if case .promise(let promise) = self { promise } else { nil }
    }
}
