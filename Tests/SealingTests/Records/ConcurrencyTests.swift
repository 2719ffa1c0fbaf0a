// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("One sealer and many threads")
struct ConcurrencyTests {
    @Test("every thread opens boxes sealed by any other")
    func sharing() async throws {
        let sealer = try RecordSealer(keys: fixedKeys())
        let failures = await withTaskGroup(of: Int.self) { group in
            for thread in 0..<4 as Range<UInt8> {
                group.addTask { Self.work(sealer, thread: thread) }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
    }

    private static func work(_ sealer: RecordSealer, thread: UInt8) -> Int {
        var failures = 0
        for round in 0..<500 as Range<UInt64> {
            let content = [UInt8](repeating: thread, count: Int(round) * 8)
            do {
                let box = try withSpan(content) {
                    try sealer.seal($0, role: .secret, tag: (round, 1), kind: thread, sequence: round)
                }
                let opened = try withSpan(box) {
                    try sealer.openSecret($0, tag: (round, 1), kind: thread, sequence: round)
                }
                if opened.copied != content { failures += 1 }
            } catch {
                failures += 1
            }
        }
        return failures
    }
}
