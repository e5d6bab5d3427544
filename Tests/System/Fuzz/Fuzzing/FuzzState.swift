import Glibc

/// The number of the target's current input, in a file that is mapped into memory. Writing the number costs one store, and the file keeps
/// it after the process has died.
final class FuzzState {
    private static let digits = 20
    private let memory: UnsafeMutableRawBufferPointer
    private let path: String

    /// Nil if the environment does not ask for it.
    init?(target: String) {
        guard let folder = FuzzSettings.stateFolder else { return nil }
        path = "\(folder)/\(target)"
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard ftruncate(file, Self.digits) == 0,
            let start = mmap(nil, Self.digits, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), start != MAP_FAILED
        else { return nil }
        memory = UnsafeMutableRawBufferPointer(start: start, count: Self.digits)
    }

    deinit { munmap(memory.baseAddress, memory.count) }

    func note(_ number: UInt64) {
        var rest = number
        for place in memory.indices.reversed() {
            memory[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// Removes the file, because the run has ended without a crash.
    func end() { unlink(path) }
}
