// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the kernel says of this process's memory, in bytes.
public enum Memory {
    /// Memory in use now.
    public static var resident: Int { field("VmRSS:") }
    /// The most that was ever in use.
    public static var peak: Int { field("VmHWM:") }

    private static func field(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard text.hasPrefix(name) else { continue }
            return (Int(text.filter(\.isNumber)) ?? 0) * 1024
        }
        return 0
    }
}
