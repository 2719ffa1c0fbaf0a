// SPDX-License-Identifier: Apache-2.0

import Sealing

/// The content of `records.json`: boxes under known keys.
struct RecordVectors: Codable, Equatable {
    struct Box: Codable, Equatable, Sendable {
        let name: String
        let role: String
        let tag: String
        let kind: UInt8
        let sequence: UInt64
        let plaintext: String
        let box: String
    }

    /// A box that must not open under the circumstances given.
    struct Refusal: Codable, Equatable, Sendable {
        let name: String
        let role: String
        let tag: String
        let kind: UInt8
        let sequence: UInt64
        let box: String
        let error: String
    }

    let group: String
    let epoch: UInt32
    let rootKey: String
    let boxes: [Box]
    let refusals: [Refusal]

    static let fileName = "records.json"

    /// The vectors as this implementation makes them.
    static func make() throws -> RecordVectors {
        let keys = try fixedKeys(epoch: 3)
        let sealer = try RecordSealer(keys: keys, random: CountingSource().random)
        let tag: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
        var boxes: [Box] = []
        let contents: [(String, Int)] = [
            ("empty", 0), ("one byte", 1), ("one less than a bucket of facts", 31), ("a bucket of facts", 32),
            ("one less than a bucket of secrets", 255), ("a bucket of secrets", 256), ("long", 1000),
        ]
        for role in BoxRole.allCases {
            for (index, (name, count)) in contents.enumerated() {
                let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 3) }
                let sequence = index == 0 ? UInt64.max : UInt64(index) << 32 | 5
                let box = try withSpan(content) {
                    try sealer.seal($0, role: role, tag: tag, kind: UInt8(index + 1), sequence: sequence)
                }
                boxes.append(
                    Box(
                        name: "\(role): \(name)",
                        role: "\(role)",
                        tag: (littleEndianBytes(tag.0) + littleEndianBytes(tag.1)).hex,
                        kind: UInt8(index + 1),
                        sequence: sequence,
                        plaintext: content.hex,
                        box: box.hex
                    )
                )
            }
        }
        return RecordVectors(
            group: "\(keys.uuid)",
            epoch: keys.epoch,
            rootKey: [UInt8](repeating: 0x52, count: 32).hex,
            boxes: boxes,
            refusals: refusals(from: boxes)
        )
    }

    private static func refusals(from boxes: [Box]) -> [Refusal] {
        boxes.filter { $0.name.hasSuffix(": one byte") }.flatMap { box in
            func refusal(
                _ name: String,
                role: String? = nil,
                tag: String? = nil,
                kind: UInt8? = nil,
                sequence: UInt64? = nil,
                box sealed: String? = nil
            ) -> Refusal {
                Refusal(
                    name: "\(box.role): \(name)",
                    role: role ?? box.role,
                    tag: tag ?? box.tag,
                    kind: kind ?? box.kind,
                    sequence: sequence ?? box.sequence,
                    box: sealed ?? box.box,
                    error: "authenticationFailed"
                )
            }
            return [
                refusal("as the other role", role: box.role == "facts" ? "secret" : "facts"),
                refusal("of another record", tag: "01" + box.tag.dropFirst(2)),
                refusal("of another kind", kind: box.kind + 1),
                refusal("of another sequence", sequence: box.sequence + 1),
                refusal("with another nonce", box: "ff" + box.box.dropFirst(2)),
                refusal("with another tag", box: box.box.dropLast(2) + "00"),
                refusal("cut", box: String(box.box.dropLast(2))),
                refusal("shorter than any box", box: String(box.box.prefix(78))),
                refusal("empty", box: ""),
            ]
        }
    }
}
