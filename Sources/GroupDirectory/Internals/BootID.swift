// SPDX-License-Identifier: Apache-2.0

/// Identifies the current boot. Unsynced data is reliable only within one boot.
package struct BootID: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    package init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// The id of the current boot, read once; `nil` if the kernel does not provide it.
    package static let current: BootID? =
        Syscalls.smallSystemFile("/proc/sys/kernel/random/boot_id", limit: 64).flatMap { text in
            BootID(text: text.filter { $0 != UInt8(ascii: "\n") })
        }

    /// Reads 32 hexadecimal digits, with hyphens anywhere.
    init?(text: [UInt8]) {
        let digits = text.filter { $0 != UInt8(ascii: "-") }
        guard digits.count == 32 else { return nil }
        let halves = [digits[..<16], digits[16...]].compactMap { half in
            UInt64(String(decoding: half, as: UTF8.self), radix: 16)
        }
        guard halves.count == 2 else { return nil }
        self.init(first: halves[0], second: halves[1])
    }
}
