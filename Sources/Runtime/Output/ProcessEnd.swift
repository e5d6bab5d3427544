import Glibc

/// The one place where a process of Tidings ends by itself.
package enum ProcessEnd {
    /// Ends the process at once, without the end functions of its libraries.
    ///
    /// `exit` runs what libcrypto, Kerberos and others registered with atexit(3). They free their memory while other threads of the process
    /// still use it: a command that had done all its work then died of a signal. Nothing is lost, because ``Output`` has written each line
    /// when it returns. See _exit(2).
    ///
    /// - Parameter code: the exit code, 0 to 255. See ``Failure/Code``.
    package static func now(_ code: Int32) -> Never { _exit(code) }
}
