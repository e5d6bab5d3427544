import Foundation

/// Everything that changes the core: actions, and results of effects.
enum InboxInput: Sendable {
    case action(InboxAction)
    /// The store's `run()` began. Changes that an earlier run left are sent.
    case resumed
    /// The store's `run()` ended, and its effects with it.
    case suspended
    case cacheRead(CachedInbox?)
    case cacheWritten
    case page(Int, Result<InboxPage, InboxError>)
    case changed(Int, Result<ChangeAnswer, InboxError>)
    case streamOpened(Int)
    case streamEvent(Int, ServerSentEvent, random: Double)
    case streamEnded(Int, InboxError?, random: Double)
    case waited(Int)
}

/// Work that the core asks for. The number comes back with the result; a result with an old number is dropped.
enum InboxEffect: Hashable, Sendable {
    case readCache
    case writeCache(CachedInbox)
    case removeCache
    case loadPage(Int, limit: Int, cursor: String)
    case send(Int, InboxChange)
    case openStream(Int, lastEventID: String?)
    /// Ends the open stream and every wait.
    case closeStream
    case wait(Int, seconds: TimeInterval)
}
