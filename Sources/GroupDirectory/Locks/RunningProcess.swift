// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Glibc

/// A process, as /proc describes it to every user.
package struct RunningProcess: Hashable, Sendable {
    package let id: Int32
    /// The first fifteen bytes of its name.
    package let name: String
    /// The state that it is in.
    package let activity: Activity
    /// The time at which it started, in seconds since 1970; `nil` if unknown.
    package let startedOn: Int64?

    /// The states that matter to a caller waiting for the process.
    package enum Activity: Hashable, Sendable {
        /// Running or sleeping.
        case running
        /// Waiting for a disk, and not interruptible by signals.
        case waitingForDisk
        /// Stopped by a signal or a debugger.
        case stopped
        /// A zombie: it has ended, but its parent has not collected its status.
        case ended
    }

    /// - Returns: `nil` if no such process is visible.
    package init?(_ id: Int32) {
        guard id > 0, let text = Syscalls.smallSystemFile("/proc/\(id)/stat", limit: 4096),
            // Search for the last parenthesis, because the name may contain parentheses itself.
            let open = text.firstIndex(of: UInt8(ascii: "(")), let close = text.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = text[(close + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, let letter = fields[0].first else { return nil }
        self.id = id
        name = String(decoding: text[(open + 1)..<close], as: UTF8.self)
        activity =
            switch letter {
            case UInt8(ascii: "T"), UInt8(ascii: "t"): .stopped
            case UInt8(ascii: "D"): .waitingForDisk
            case UInt8(ascii: "Z"), UInt8(ascii: "X"): .ended
            default: .running
            }
        let ticksPerSecond = Int64(sysconf(Int32(_SC_CLK_TCK)))
        startedOn = Int64(String(decoding: fields[19], as: UTF8.self)).flatMap { ticks in
            Self.bootTime.map { $0 + ticks / max(1, ticksPerSecond) }
        }
    }

    /// The time at which the machine booted, in seconds since 1970.
    private static let bootTime: Int64? = {
        guard let text = Syscalls.smallSystemFile("/proc/stat", limit: 1 << 20) else { return nil }
        for line in text.split(separator: UInt8(ascii: "\n")) where line.starts(with: "btime ".utf8) {
            return Int64(String(decoding: line.dropFirst(6), as: UTF8.self))
        }
        return nil
    }()

    /// The ids of all processes visible to this one.
    static var allIDs: [Int32] {
        guard let folder = try? Syscalls.openFolder("/proc"), let names = try? Syscalls.names(in: folder) else {
            return []
        }
        defer { Syscalls.close(folder) }
        return names.compactMap { Int32($0) }
    }
}
