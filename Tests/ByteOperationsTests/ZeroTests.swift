// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@Suite("Zeros in spans")
struct ZeroTests {
    @Test("zeros at the end are not counted, others are", arguments: 0...40)
    func last(count: Int) {
        for written in 0...count {
            var bytes = [UInt8](repeating: 0, count: count)
            if written > 0 { bytes[written - 1] = 1 }
            #expect(bytes.rawSpan.byteCountWithoutLastZeros == written)
            #expect(bytes.rawSpan.isZero == (written == 0))
        }
    }
}
