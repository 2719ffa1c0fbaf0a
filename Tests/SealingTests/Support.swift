// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

/// A secret that tests can write down.
func secret(_ bytes: [UInt8]) throws -> SecretBytes {
    try SecretBytes(copying: unsafe bytes.span.bytes)
}

/// A key of 32 equal bytes.
func key(_ byte: UInt8) throws -> SealingKey {
    try SealingKey(secret([UInt8](repeating: byte, count: 32)))
}

/// Keys that are the same in every run.
func fixedKeys(group: UInt8 = 0x47, epoch: UInt32 = 1, root: UInt8 = 0x52, tag: UInt8 = 0x54) throws -> GroupKeys {
    let uuid = try #require(GroupUUID(bytes: [UInt8](repeating: group, count: 16)))
    return GroupKeys(uuid: uuid, epoch: epoch, rootKey: try key(root), tagKey: try key(tag))
}

extension [UInt8] {
    /// The bytes of an even number of hexadecimal digits; spaces are ignored.
    init(hex text: String) {
        let digits = text.compactMap(\.hexDigitValue)
        precondition(digits.count.isMultiple(of: 2))
        self = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension SecretBytes {
    /// A copy that tests can compare.
    var copied: [UInt8] {
        borrowing get { bytes.copied }
    }
}

extension RawSpan {
    var copied: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}

/// Hands `bytes` out as a span.
func withSpan<Result: ~Copyable, Failure: Error>(
    _ bytes: [UInt8],
    _ body: (RawSpan) throws(Failure) -> Result
) throws(Failure) -> Result {
    try body(unsafe bytes.span.bytes)
}
