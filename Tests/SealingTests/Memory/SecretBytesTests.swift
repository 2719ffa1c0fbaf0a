// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Secret bytes")
struct SecretBytesTests {
    @Test("hold the bytes copied into them", arguments: [0, 1, 31, 32, 63, 64, 65, 4096, 4097, 32768, 32769, 1 << 20])
    func copying(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let secret = try secret(bytes)
        #expect(secret.byteCount == count)
        #expect(secret.copied == bytes)
    }

    @Test("are zero when made by length", arguments: [1, 64, 5000, 100_000])
    func zeroed(count: Int) throws {
        // What was there before was another secret.
        for _ in 0..<64 { _ = try SecretBytes.random(byteCount: count) }
        let secret = try SecretBytes(byteCount: count)
        #expect(secret.copied.allSatisfy { $0 == 0 })
    }

    @Test("have the length that the initializer wrote")
    func initialising() throws {
        let secret = try SecretBytes(byteCount: 100) { output in
            for byte in [1, 2, 3] as [UInt8] { output.append(byte) }
        }
        #expect(secret.copied == [1, 2, 3])
    }

    @Test("are freed when an initializer fails")
    func failingInitialiser() {
        #expect(throws: SealingError(.malformed)) {
            _ = try SecretBytes(byteCount: 100) { output throws(SealingError) in
                output.append(1 as UInt8)
                throw SealingError(.malformed)
            }
        }
    }

    @Test("can be changed in place")
    func mutating() throws {
        var secret = try secret([1, 2, 3])
        var bytes = secret.mutableBytes
        bytes.storeBytes(of: 9, toByteOffset: 1, as: UInt8.self)
        #expect(secret.copied == [1, 9, 3])
    }

    @Test("can be cut short")
    func truncating() throws {
        var secret = try secret([1, 2, 3])
        secret.truncate(to: 1)
        #expect(secret.copied == [1])
    }

    @Test("are equal exactly when all bytes are")
    func equality() throws {
        let left = try secret([1, 2, 3])
        let same = try secret([1, 2, 3])
        let other = try secret([1, 2, 4])
        let shorter = try secret([1, 2])
        let verdicts = [left.isEqual(to: same), left.isEqual(to: other), left.isEqual(to: shorter)]
        #expect(verdicts == [true, false, false])
    }

    @Test("that are random differ")
    func random() throws {
        let one = try SecretBytes.random(byteCount: 32)
        let two = try SecretBytes.random(byteCount: 32)
        let areEqual = one.isEqual(to: two)
        #expect(!areEqual)
    }

    @Test("of a size that no memory has are refused", arguments: [Int.max, Int.max / 2, 1 << 60])
    func tooLarge(count: Int) {
        #expect(throws: SealingError(.outOfMemory)) { _ = try SecretBytes(byteCount: count) }
    }
}
