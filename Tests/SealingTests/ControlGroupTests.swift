// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Sealing

@Suite("Memory of control groups")
struct ControlGroupTests {
    /// The files of a machine, and what they leave in MiB; nil for no limit.
    static let machines: [(name: String, files: [String: String], available: UInt64?)] = [
        ("no control groups", [:], nil),
        ("no limit", ["/proc/self/cgroup": "0::/user.slice\n", "/sys/fs/cgroup/user.slice/memory.max": "max\n"], nil),
        (
            "a container with its own name space",
            [
                "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "\(120 << 20)\n",
                "/sys/fs/cgroup/memory.current": "\(20 << 20)\n",
                "/sys/fs/cgroup/memory.stat": "anon 5\ninactive_file \(6 << 20)\nactive_file \(4 << 20)\n",
            ],
            110
        ),
        (
            "a path that the container does not see",
            [
                "/proc/self/cgroup": "0::/docker/abc\n", "/sys/fs/cgroup/memory.max": "\(64 << 20)\n",
                "/sys/fs/cgroup/memory.current": "\(14 << 20)\n",
            ],
            50
        ),
        (
            "a group above with the smaller limit",
            [
                "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/memory.max": "\(30 << 20)\n",
                "/sys/fs/cgroup/a/memory.current": "\(10 << 20)\n", "/sys/fs/cgroup/a/b/memory.max": "\(90 << 20)\n",
                "/sys/fs/cgroup/a/b/memory.current": "\(10 << 20)\n",
            ],
            20
        ),
        (
            "swap that the group may use",
            [
                "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "\(30 << 20)\n",
                "/sys/fs/cgroup/memory.current": "\(40 << 20)\n", "/sys/fs/cgroup/memory.swap.max": "\(9 << 20)\n",
                "/sys/fs/cgroup/memory.swap.current": "\(2 << 20)\n", "/proc/meminfo": "SwapFree:   1048576 kB\n",
            ],
            7
        ),
        (
            "version 1",
            [
                "/proc/self/cgroup": "5:cpu:/x\n4:hugetlb,memory:/box\n0::/\n",
                "/sys/fs/cgroup/memory/box/memory.limit_in_bytes": "\(80 << 20)\n",
                "/sys/fs/cgroup/memory/box/memory.usage_in_bytes": "\(50 << 20)\n",
                "/sys/fs/cgroup/memory/box/memory.stat": "active_file 1\ntotal_inactive_file \(10 << 20)\n",
            ],
            40
        ),
    ]

    @Test("the memory left is that of the group with the least", arguments: machines.map(\.name))
    func available(machine: String) throws {
        let (_, files, available) = try #require(Self.machines.first { $0.name == machine })
        #expect(ControlGroup.availableByteCount { files[$0] } == available.map { $0 << 20 })
    }

    @Test("the limits of this machine can be read")
    func thisMachine() {
        #expect(ControlGroup.availableByteCount().map { $0 > 0 } != false)
    }
}
