// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

extension RawSpan {
    /// A hash of the bytes for tables inside this process. Never store it.
    func processHash(seed: UInt64) -> UInt64 {
        var hash = seed ^ UInt64(byteCount) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset < byteCount {
            var piece: UInt64 = 0
            if offset &+ 8 <= byteCount {
                piece = word(at: offset)
            } else {
                for index in offset..<byteCount { piece = piece << 8 | UInt64(byte(at: index)) }
            }
            let product = (hash ^ piece).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = product.high ^ product.low
            offset &+= 8
        }
        let product = (hash ^ seed).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return product.high ^ product.low
    }
}
