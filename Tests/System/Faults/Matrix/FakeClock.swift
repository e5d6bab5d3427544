import Foundation
import TidingsTestSupport

/// The wall clock of processes, moved while they run. A library is loaded before all others and adds the seconds in a file to the system's
/// time. Monotonic clocks do not change, as when an operator sets the time.
struct FakeClock: Sendable {
    private let folder: String
    private var shift: String { "\(folder)/shift" }

    init(in folder: String) { self.folder = folder }

    /// The environment variables for a process. Needs `clang`, which comes with Swift.
    func variables() async throws -> [String: String] {
        let (source, library) = ("\(folder)/clock.c", "\(folder)/clock.so")
        try Self.program.write(toFile: source, atomically: true, encoding: .utf8)
        let result = try await TestProcess(
            ["/usr/bin/env", "clang", "-shared", "-fPIC", "-O1", "-o", library, source], environment: ProcessInfo.processInfo.environment
        ).finish()
        guard result.exitCode == 0 else { throw TestSystemError(message: "clang: \(result.errors)") }
        try Data(count: MemoryLayout<Int64>.size).write(to: URL(fileURLWithPath: shift))
        return ["LD_PRELOAD": library, "TIDINGS_TEST_CLOCK": shift]
    }

    /// Sets the shift from now on. A positive shift is ahead.
    func set(_ seconds: Int64) throws {
        // Write in place, because processes have the file in their memory.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: shift))
        try file.write(contentsOf: withUnsafeBytes(of: seconds) { Data($0) })
        try file.close()
    }

    private static let program = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdint.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <time.h>
        static volatile int64_t none, *shift = &none;
        __attribute__((constructor)) static void look(void) {
            const char *path = getenv("TIDINGS_TEST_CLOCK");
            int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
            void *seen = file < 0 ? MAP_FAILED : mmap(0, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
            if (seen != MAP_FAILED) shift = seen;
        }
        int clock_gettime(clockid_t id, struct timespec *now) {
            static int (*real)(clockid_t, struct timespec *);
            if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
            int status = real(id, now);
            if (!status && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += *shift;
            return status;
        }
        """
}
