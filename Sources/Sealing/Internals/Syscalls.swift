// SPDX-License-Identifier: Apache-2.0

// SAFETY: every address comes from mmap with the byte count that is passed back to the kernel.

import CProcessControl
import Glibc

/// The system calls of this module. Only this file imports the C library.
enum Syscalls {
    static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Reserves inaccessible address space; `nil` if the system has none left.
    @unsafe static func reserve(byteCount: Int) -> UnsafeMutableRawPointer? {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        guard let base = unsafe mmap(nil, byteCount, PROT_NONE, flags, -1, 0), unsafe base != MAP_FAILED else {
            return nil
        }
        return unsafe base
    }

    @unsafe static func allowAccess(_ base: UnsafeMutableRawPointer, byteCount: Int) -> Bool {
        unsafe mprotect(base, byteCount, PROT_READ | PROT_WRITE) == 0
    }

    @unsafe static func release(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        _ = unsafe munmap(base, byteCount)
    }

    /// Locks pages into memory, out of swap. Returns false if the limit of locked memory is reached.
    @unsafe static func lock(_ base: UnsafeMutableRawPointer, byteCount: Int) -> Bool {
        unsafe mlock(base, byteCount) == 0
    }

    /// Excludes pages from core dumps.
    @unsafe static func excludeFromCoreDumps(_ base: UnsafeMutableRawPointer, byteCount: Int) -> Bool {
        unsafe madvise(base, byteCount, MADV_DONTDUMP) == 0
    }

    /// Makes pages read as zeros in a forked child. Returns false on kernels before 4.14.
    @unsafe static func wipeOnFork(_ base: UnsafeMutableRawPointer, byteCount: Int) -> Bool {
        unsafe madvise(base, byteCount, MADV_WIPEONFORK) == 0
    }

    static var processID: Int32 { getpid() }

    /// A number that is unique among the running threads.
    @inline(always)
    static var threadNumber: UInt { UInt(pthread_self()) }

    static let fatalSignals = [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP]

    static func disallowDumpsAndTracing() -> Bool {
        process_control_set_undumpable() == 0
    }

    /// Excludes all memory from core files that others write of this process, and of the programs that it starts.
    static func excludeMemoryFromCoreFiles() -> Bool {
        // SAFETY: the path and the text are literals.
        let file = unsafe open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return unsafe write(file, "0", 1) == 1
    }

    static func disallowCoreFiles() -> Bool {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        return unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
    }

    static func restoreDefaultAction(ofSignal number: Int32) {
        _ = signal(number, SIG_DFL)
    }
}
