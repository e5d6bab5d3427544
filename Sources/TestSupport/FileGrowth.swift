import Foundation
import Glibc
import Synchronization
import TidingsWaiting

/// Tells when a file grows, such as the output of a process. The kernel does (inotify), so a test that waits for a line of a log awaits a
/// signal. One thread reads the kernel's events for all tests.
final class FileGrowth: Sendable {
    static let shared = FileGrowth()

    /// In bytes: `wd`, `mask`, `cookie` and `len` of `struct inotify_event`, before the name.
    private static let headBytes = 16
    /// In bytes: some hundred events of files, which have no name.
    private static let bufferBytes = 4_096

    private let descriptor: Int32
    /// The reason why the kernel gave no descriptor. Nil if it gave one.
    private let refusal: String?
    /// The signals that somebody may await, by the number of the watch.
    private let signals = Mutex<[Int32: OneShot<Void>]>([:])

    private init() {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        refusal = descriptor < 0 ? String(cString: strerror(errno)) : nil
        self.descriptor = descriptor
        if descriptor >= 0 { Thread.detachNewThread { self.readEvents() } }
    }

    /// Returns the signal of the file's next growth. To miss none, read the file after this call and before awaiting the signal.
    ///
    /// Throws if the kernel watches no file for this process. The processes of a user share `fs.inotify.max_user_instances`, of which this
    /// process needs one.
    func next(of path: String) throws -> OneShot<Void> {
        if let refusal {
            throw TestSystemError(message: "the kernel watches no file: \(refusal). Look at fs.inotify.max_user_instances and ulimit -n")
        }
        // The reading thread needs the lock too, so it finds the signal of an event that comes at once.
        return try signals.withLock { signals -> OneShot<Void> in
            // The watch ends with its first event.
            let watch = inotify_add_watch(descriptor, path, UInt32(IN_MODIFY) | UInt32(IN_ONESHOT))
            guard watch >= 0 else { throw TestSystemError(message: "cannot watch \(path): \(String(cString: strerror(errno)))") }
            let signal = signals[watch] ?? OneShot<Void>()
            signals[watch] = signal
            return signal
        }
    }

    private func readEvents() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferBytes, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            guard count > 0 else {
                if count < 0, errno == EINTR { continue }
                return wake(nil)
            }
            var offset = 0
            while offset + Self.headBytes <= count {
                let watch = buffer.loadUnaligned(fromByteOffset: offset, as: Int32.self)
                let nameBytes = buffer.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self)
                offset += Self.headBytes + Int(nameBytes)
                // The kernel has lost events if there is no number.
                wake(watch < 0 ? nil : watch)
            }
        }
    }

    /// Sets the signal of a watch, or each signal.
    private func wake(_ watch: Int32?) {
        let woken = signals.withLock { signals -> [OneShot<Void>] in
            if let watch { return [signals.removeValue(forKey: watch)].compactMap(\.self) }
            defer { signals = [:] }
            return Array(signals.values)
        }
        for signal in woken { signal.set(()) }
    }
}
