// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Record sealer")
struct RecordSealerTests {
    let sealer: RecordSealer
    let tag: (UInt64, UInt64) = (0x0102_0304_0506_0708, 0x1112_1314_1516_1718)

    init() throws {
        sealer = try RecordSealer(keys: fixedKeys())
    }

    func seal(_ bytes: [UInt8], _ role: BoxRole = .facts) throws -> [UInt8] {
        try withSpan(bytes) { try sealer.seal($0, role: role, tag: tag, kind: 3, sequence: 9) }
    }

    @Test("opens the facts that it sealed", arguments: [0, 1, 31, 32, 33, 1000, 1 << 20])
    func facts(count: Int) throws {
        let facts = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let box = try seal(facts)
        #expect(try withSpan(box) { try sealer.openFacts($0, tag: tag, kind: 3, sequence: 9) } == facts)
    }

    @Test("opens the secret that it sealed", arguments: [0, 1, 255, 256, 257, 2000, 1 << 20])
    func secret(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let box = try seal(bytes, .secret)
        let opened = try withSpan(box) { try sealer.openSecret($0, tag: tag, kind: 3, sequence: 9) }
        #expect(opened.copied == bytes)
    }

    @Test("shows the length of facts in steps of 32", arguments: [(0, 32), (31, 32), (32, 64), (33, 64)])
    func factsBuckets(count: Int, padded: Int) throws {
        #expect(try seal([UInt8](repeating: 1, count: count)).count == padded + AEAD.overhead)
    }

    @Test("shows the length of secrets in steps of 256", arguments: [(0, 256), (255, 256), (256, 512)])
    func secretBuckets(count: Int, padded: Int) throws {
        #expect(try seal([UInt8](repeating: 1, count: count), .secret).count == padded + AEAD.overhead)
    }

    @Test("never seals the same bytes to the same box")
    func freshNonces() throws {
        #expect(try seal([1, 2, 3]) != seal([1, 2, 3]))
    }

    @Test("gives each of several boxes a nonce of its own, in order")
    func drawnNonces() throws {
        let counting = CountingSource()
        let sealer = try RecordSealer(keys: fixedKeys(), random: counting.random)
        let boxes = try boxes(of: sealer, count: 3)
        let nonces = boxes.map { Array($0.prefix(24)) }
        #expect(nonces == [Array(1...24), Array(25...48), Array(49...72)])
        for box in boxes {
            let opened = try withSpan(box) { try sealer.openSecret($0, tag: tag, kind: 3, sequence: 9) }
            #expect(opened.copied == [7])
        }
        #expect(Set(try self.boxes(of: self.sealer, count: 100).map { Array($0.prefix(24)) }).count == 100)
    }

    private func boxes(of sealer: RecordSealer, count: Int) throws -> [[UInt8]] {
        var nonces = sealer.drawNonces(count)
        return try (0..<count).map { _ in
            try withSpan([7]) {
                try sealer.seal($0, role: .secret, tag: tag, kind: 3, sequence: 9, nonces: &nonces)
            }
        }
    }

    @Test("refuses to seal more boxes than nonces were drawn for")
    func exhaustedNonces() async {
        await #expect(processExitsWith: .failure) {
            let sealer = try RecordSealer(keys: fixedKeys())
            var nonces = sealer.drawNonces(1)
            for _ in 0..<2 {
                _ = try withSpan([7]) {
                    try sealer.seal($0, role: .facts, tag: (1, 2), kind: 3, sequence: 9, nonces: &nonces)
                }
            }
        }
    }

    @Test("refuses a plaintext beyond 1 MiB", arguments: BoxRole.allCases)
    func tooLarge(role: BoxRole) {
        #expect(throws: SealingError(.tooLarge)) { try seal([UInt8](repeating: 0, count: 1 << 20 | 1), role) }
    }

    @Test("refuses a box beyond the limit without opening it")
    func tooLargeBox() throws {
        let box = [UInt8](repeating: 0, count: RecordSealer.maximumBoxByteCount + 1)
        #expect(throws: SealingError(.tooLarge)) {
            try withSpan(box) { try sealer.openFacts($0, tag: tag, kind: 3, sequence: 9) }
        }
        #expect(throws: SealingError(.tooLarge)) {
            _ = try withSpan(box) { try sealer.openSecret($0, tag: tag, kind: 3, sequence: 9) }
        }
    }
}
