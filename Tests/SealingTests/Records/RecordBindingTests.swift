// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("The associated data of a box")
struct RecordBindingTests {
    let sealer: RecordSealer
    let tag: (UInt64, UInt64) = (0x0102_0304_0506_0708, 0x1112_1314_1516_1718)
    let kind: UInt8 = 3
    let sequence: UInt64 = 0x2122_2324_2526_2728

    init() throws {
        sealer = try RecordSealer(keys: fixedKeys())
    }

    private func box(_ role: BoxRole) throws -> [UInt8] {
        try withSpan([1, 2, 3]) { try sealer.seal($0, role: role, tag: tag, kind: kind, sequence: sequence) }
    }

    private func expectRefusal(
        _ role: BoxRole,
        by sealer: RecordSealer? = nil,
        box: [UInt8]? = nil,
        tag: (UInt64, UInt64)? = nil,
        kind: UInt8? = nil,
        sequence: UInt64? = nil,
        _ comment: Comment? = nil
    ) throws {
        let sealer = sealer ?? self.sealer
        let box = try box ?? self.box(role)
        #expect(throws: SealingError(.authenticationFailed), comment) {
            try withSpan(box) { box throws(SealingError) in
                switch role {
                case .facts:
                    _ = try sealer.openFacts(
                        box,
                        tag: tag ?? self.tag,
                        kind: kind ?? self.kind,
                        sequence: sequence ?? self.sequence
                    )
                case .secret:
                    _ = try sealer.openSecret(
                        box,
                        tag: tag ?? self.tag,
                        kind: kind ?? self.kind,
                        sequence: sequence ?? self.sequence
                    )
                }
            }
        }
    }

    @Test("a box of one role does not open as the other", arguments: BoxRole.allCases)
    func role(role: BoxRole) throws {
        try expectRefusal(role, box: box(role == .facts ? .secret : .facts))
    }

    @Test("a box does not open under a tag that differs in any bit", arguments: BoxRole.allCases)
    func tags(role: BoxRole) throws {
        for bit in 0..<64 as Range<UInt64> {
            try expectRefusal(role, tag: (tag.0 ^ 1 << bit, tag.1), "bit \(bit)")
            try expectRefusal(role, tag: (tag.0, tag.1 ^ 1 << bit), "bit \(64 + bit)")
        }
        try expectRefusal(role, tag: (tag.1, tag.0), "halves swapped")
    }

    @Test("a box does not open as another kind", arguments: BoxRole.allCases)
    func kinds(role: BoxRole) throws {
        for other in 0...UInt8.max where other != kind { try expectRefusal(role, kind: other) }
    }

    @Test("a box does not open with a sequence that differs in any bit", arguments: BoxRole.allCases)
    func sequences(role: BoxRole) throws {
        for bit in 0..<64 as Range<UInt64> { try expectRefusal(role, sequence: sequence ^ 1 << bit, "bit \(bit)") }
    }

    @Test("a box does not open in another group, epoch, or under another root key", arguments: BoxRole.allCases)
    func keys(role: BoxRole) throws {
        let others = [
            try fixedKeys(group: 0x48), try fixedKeys(epoch: 2), try fixedKeys(root: 0x53), try fixedKeys().nextEpoch(),
        ]
        for other in others { try expectRefusal(role, by: RecordSealer(keys: other), "\(other)") }
    }

    @Test("a box opens under another tag key, which only names")
    func tagKey() throws {
        let sealer = try RecordSealer(keys: fixedKeys(tag: 1))
        let box = try box(.facts)
        let facts = try withSpan(box) { try sealer.openFacts($0, tag: tag, kind: kind, sequence: sequence) }
        #expect(facts == [1, 2, 3])
    }

    @Test("a box with any bit flipped does not open", arguments: BoxRole.allCases)
    func flippedBits(role: BoxRole) throws {
        let box = try box(role)
        for bit in 0..<box.count * 8 {
            var flipped = box
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            try expectRefusal(role, box: flipped, "bit \(bit)")
        }
    }

    @Test("a box that was cut or made longer does not open", arguments: BoxRole.allCases)
    func lengths(role: BoxRole) throws {
        let box = try box(role)
        for count in 0..<box.count { try expectRefusal(role, box: Array(box.prefix(count)), "\(count) bytes") }
        try expectRefusal(role, box: box + [0])
        try expectRefusal(role, box: [0] + box)
    }

    @Test("content that is not padded is refused although it verifies")
    func notPadded() throws {
        let keys = try fixedKeys()
        let sealer = try RecordSealer(keys: keys)
        let key = try keys.subkey(.record)
        for (role, content) in [(BoxRole.facts, [UInt8](repeating: 0, count: 32)), (.secret, [0x80]), (.facts, [])] {
            let data = associatedData(keys, role: role)
            let box = try AEAD.seal(unsafe content.span.bytes, key: key, authenticating: unsafe data.span.bytes)
            #expect(throws: SealingError(.malformed)) {
                try withSpan(box) { box throws(SealingError) in
                    switch role {
                    case .facts: _ = try sealer.openFacts(box, tag: tag, kind: kind, sequence: sequence)
                    case .secret: _ = try sealer.openSecret(box, tag: tag, kind: kind, sequence: sequence)
                    }
                }
            }
        }
    }

    @Test("the associated data has the documented bytes", arguments: BoxRole.allCases)
    func associatedData(role: BoxRole) throws {
        let keys = try fixedKeys()
        let key = try keys.subkey(.record)
        let content = [UInt8](repeating: 7, count: 5) + [0x80] + [UInt8](repeating: 0, count: role == .facts ? 26 : 250)
        let data = associatedData(keys, role: role)
        let box = try AEAD.seal(unsafe content.span.bytes, key: key, authenticating: unsafe data.span.bytes)
        let opened = try withSpan(box) { box in
            switch role {
            case .facts:
                return try sealer.openFacts(box, tag: tag, kind: kind, sequence: sequence)
            case .secret:
                let secret = try sealer.openSecret(box, tag: tag, kind: kind, sequence: sequence)
                return secret.copied
            }
        }
        #expect(opened == [7, 7, 7, 7, 7])
    }

    /// Written down once more, from the description of the format.
    private func associatedData(_ keys: GroupKeys, role: BoxRole) -> [UInt8] {
        let head = Array("tcs.record-box.1".utf8) + [1, role == .facts ? 1 : 2, kind, 0, 1, 0, 0, 0]
        return head + littleEndianBytes(sequence) + keys.uuid.bytes + littleEndianBytes(tag.0)
            + littleEndianBytes(tag.1)
    }
}
