// SPDX-License-Identifier: Apache-2.0

// SAFETY: the file is read into an array whose byte count is passed along, and closed here.

internal import CLinux
internal import Glibc

/// The memory that the control groups of this process leave it. Linux ends a process that uses more, although it granted
/// the memory before.
enum ControlGroup {
    /// The number of bytes that can still be used; nil if no limit is known. Takes some ten system calls.
    static func availableByteCount() -> UInt64? { availableByteCount(reading: contents) }

    /// The same on a machine with other files.
    ///
    /// - Parameter read: returns the content of a file, nil if it cannot be read.
    /// - Returns: the number of bytes; nil if no limit is known.
    static func availableByteCount(reading read: (String) -> String?) -> UInt64? {
        var least: UInt64?
        for line in lines(read("/proc/self/cgroup")) {
            // Number, controllers and path; the controllers are empty for version 2.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let isNew = fields[1].isEmpty
            guard isNew || fields[1].split(separator: ",").contains("memory") else { continue }
            var names = fields[2].split(separator: "/")
            // The limits of all groups above count too. In a container, only the last of these folders may exist.
            while true {
                let root = isNew ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory"
                let folder = ([root] + names.map(String.init)).joined(separator: "/")
                if let free = isNew ? freeSpace(folder, read) : freeSpaceOfVersion1(folder, read) {
                    least = min(least ?? free, free)
                }
                if names.popLast() == nil { break }
            }
        }
        return least
    }

    private static func freeSpace(_ folder: String, _ read: (String) -> String?) -> UInt64? {
        guard let limit = number(read(folder + "/memory.max")), let used = number(read(folder + "/memory.current"))
        else { return nil }
        let statistics = lines(read(folder + "/memory.stat"))
        let cached = value("active_file ", statistics) + value("inactive_file ", statistics)
        let swapped = number(read(folder + "/memory.swap.current")) ?? 0
        let swap = number(read(folder + "/memory.swap.max")).map { $0 - min($0, swapped) } ?? .max
        return free(limit, used, cached, swap: swap, read)
    }

    private static func freeSpaceOfVersion1(_ folder: String, _ read: (String) -> String?) -> UInt64? {
        guard let limit = number(read(folder + "/memory.limit_in_bytes")),
            let used = number(read(folder + "/memory.usage_in_bytes"))
        else { return nil }
        let statistics = lines(read(folder + "/memory.stat"))
        let cached = value("total_active_file ", statistics) + value("total_inactive_file ", statistics)
        return free(limit, used, cached, swap: .max, read)
    }

    /// The kernel drops cached pages of files, and swaps, before it ends a process.
    private static func free(
        _ limit: UInt64,
        _ used: UInt64,
        _ cached: UInt64,
        swap: UInt64,
        _ read: (String) -> String?
    ) -> UInt64 {
        let taken = used - min(used, cached)
        let swapFree = min(swap, value("SwapFree:", lines(read("/proc/meminfo"))) * 1_024)
        let sum = (limit - min(limit, taken)).addingReportingOverflow(swapFree)
        return sum.overflow ? .max : sum.partialValue
    }

    private static func number(_ text: String?) -> UInt64? {
        text.flatMap { lines($0).first }.flatMap { UInt64($0) }
    }

    private static func value(_ name: String, _ lines: [Substring]) -> UInt64 {
        guard let line = lines.first(where: { $0.hasPrefix(name) }) else { return 0 }
        return line.dropFirst(name.count).split(separator: " ").first.flatMap { UInt64($0) } ?? 0
    }

    private static func lines(_ text: String?) -> [Substring] { (text ?? "").split(separator: "\n") }

    private static func contents(of path: String) -> String? {
        let file = unsafe linux_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // The files that are read here have one or two pages.
        var bytes = [UInt8](repeating: 0, count: 16_384)
        var count = 0
        while count < bytes.count {
            let part = unsafe bytes.withUnsafeMutableBytes { room in
                unsafe Glibc.read(file, room.baseAddress?.advanced(by: count), room.count - count)
            }
            guard part > 0 else { break }
            count += part
        }
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
