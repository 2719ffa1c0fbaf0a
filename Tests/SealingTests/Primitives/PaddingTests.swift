// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Padding")
struct PaddingTests {
    @Test("is taken off again", arguments: [32, 256], [0, 1, 7, 8, 9, 31, 32, 33, 254, 255, 256, 257, 1000])
    func roundTrip(bucket: Int, count: Int) {
        let content = [UInt8](repeating: 0x5A, count: count)
        let padded = pad(content, bucket: bucket)
        #expect(padded.count.isMultiple(of: bucket))
        #expect(padded.count == Padding.paddedByteCount(count, bucket: bucket))
        #expect(unpad(padded, bucket: bucket) == count)
    }

    @Test("at every length within a bucket is found", arguments: [32, 256])
    func everyLength(bucket: Int) {
        for count in 0..<2 * bucket {
            #expect(unpad(pad([UInt8](repeating: 0, count: count), bucket: bucket), bucket: bucket) == count)
        }
    }

    @Test("that is not there is refused")
    func missing() {
        #expect(unpad([], bucket: 32) == nil)
        #expect(unpad([UInt8](repeating: 0, count: 32), bucket: 32) == nil)
        #expect(unpad([UInt8](repeating: 1, count: 32), bucket: 32) == nil)
        #expect(unpad([0x80] + [UInt8](repeating: 0, count: 32), bucket: 32) == nil)
        // The mark stands before the last bucket.
        #expect(unpad([0x80] + [UInt8](repeating: 0, count: 63), bucket: 32) == nil)
        // Something else than zeros follows the mark.
        #expect(unpad([0x80] + [UInt8](repeating: 0, count: 30) + [1], bucket: 32) == nil)
    }

    private func pad(_ content: [UInt8], bucket: Int) -> [UInt8] {
        let count = (content.count / bucket + 1) * bucket
        return content + [0x80] + [UInt8](repeating: 0, count: count - content.count - 1)
    }

    private func unpad(_ bytes: [UInt8], bucket: Int) -> Int? {
        Padding.unpaddedByteCount(unsafe bytes.span.bytes, bucket: bucket)
    }
}
