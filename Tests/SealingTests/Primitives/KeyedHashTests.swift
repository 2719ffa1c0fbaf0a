// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("BLAKE2b")
struct KeyedHashTests {
    @Test(
        "with a key equals that of other implementations",
        arguments: try PrimitiveVectors.load().blake2b.filter { $0.key != "" }
    )
    func keyed(vector: PrimitiveVectors.Hash) throws {
        let key = try SealingKey(secret([UInt8](hex: vector.key)))
        let message = [UInt8](hex: vector.message)
        if vector.digest.count == 32 {
            let (first, second) = try KeyedHash.hash128(unsafe message.span.bytes, key: key)
            #expect(littleEndianBytes(first) + littleEndianBytes(second) == [UInt8](hex: vector.digest))
        } else {
            #expect(try KeyedHash.hash256(unsafe message.span.bytes, key: key).bytes.hex == vector.digest)
        }
    }

    @Test(
        "piece by piece is what others compute",
        arguments: try PrimitiveVectors.load().blake2b.filter { $0.key != "" && $0.digest.count == 64 }
    )
    func incremental(vector: PrimitiveVectors.Hash) throws {
        let key = try SealingKey(secret([UInt8](hex: vector.key)))
        let message = [UInt8](hex: vector.message)
        for pieceCount in [1, 3, 128, 1001] {
            var hash = try KeyedHash(key: key)
            for start in stride(from: 0, to: message.count, by: pieceCount) {
                let piece = Array(message[start..<min(start + pieceCount, message.count)])
                hash.update(unsafe piece.span.bytes)
            }
            #expect(try hash.finalize().bytes.hex == vector.digest)
        }
    }

    @Test("without a key and of 64 bytes equals the vector of RFC 7693")
    func unkeyed() throws {
        let vector = try #require(try PrimitiveVectors.load().blake2b.first { $0.key == "" })
        var hash = unsafe try SecretHash(key: nil, byteCount: 64)
        hash.update([UInt8](hex: vector.message))
        #expect(try hash.finalize().copied.hex == vector.digest)
    }

    @Test("depends on every bit of the key")
    func keyBits() throws {
        var digests: Set<[UInt8]> = []
        for bit in 0..<256 {
            var bytes = [UInt8](repeating: 0, count: 32)
            bytes[bit / 8] = 1 << UInt8(bit % 8)
            digests.insert(try KeyedHash.hash256(unsafe [1].span.bytes, key: SealingKey(secret(bytes))).bytes)
        }
        #expect(digests.count == 256)
    }
}

@Suite("Digest")
struct DigestTests {
    @Test("keeps its bytes")
    func bytes() throws {
        let bytes = (0..<32).map { UInt8($0) }
        #expect(try #require(Digest(unsafe bytes.span.bytes)).bytes == bytes)
    }

    @Test("has 32 bytes", arguments: [0, 31, 33])
    func length(count: Int) {
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(Digest(unsafe bytes.span.bytes) == nil)
    }

    @Test("differs in any bit", arguments: 0..<256)
    func equality(bit: Int) {
        var bytes = [UInt8](repeating: 0xA5, count: 32)
        let one = Digest(unsafe bytes.span.bytes)
        let same = Digest(unsafe bytes.span.bytes)
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        let other = Digest(unsafe bytes.span.bytes)
        #expect(one == same)
        #expect(one != other)
    }
}

func littleEndianBytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
}
