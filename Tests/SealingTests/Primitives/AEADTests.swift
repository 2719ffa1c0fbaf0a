// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("XChaCha20-Poly1305")
struct AEADTests {
    @Test("seals to the same bytes as other implementations", arguments: try PrimitiveVectors.load().xchacha20Poly1305)
    func sealing(vector: PrimitiveVectors.Box) throws {
        let key = try SealingKey(secret([UInt8](hex: vector.key)))
        let nonce = [UInt8](hex: vector.nonce)
        let box = try withSpan([UInt8](hex: vector.plaintext)) { plaintext in
            try withSpan([UInt8](hex: vector.associatedData)) { data in
                try AEAD.seal(plaintext, key: key, authenticating: data, random: .scripted { _ in nonce })
            }
        }
        #expect(box.hex == vector.box)
    }

    @Test("opens boxes sealed by other implementations", arguments: try PrimitiveVectors.load().xchacha20Poly1305)
    func opening(vector: PrimitiveVectors.Box) throws {
        let key = try SealingKey(secret([UInt8](hex: vector.key)))
        let data = [UInt8](hex: vector.associatedData)
        let box = [UInt8](hex: vector.box)
        #expect(try open(box, key: key, data).hex == vector.plaintext)
        #expect(try openPublic(box, key: key, data).hex == vector.plaintext)
    }

    @Test("opens nothing with any bit flipped", arguments: try PrimitiveVectors.load().xchacha20Poly1305)
    func flippedBits(vector: PrimitiveVectors.Box) throws {
        let key = try SealingKey(secret([UInt8](hex: vector.key)))
        let data = [UInt8](hex: vector.associatedData)
        let box = [UInt8](hex: vector.box)
        for bit in 0..<box.count * 8 {
            var flipped = box
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealingError(.authenticationFailed)) { try open(flipped, key: key, data) }
            #expect(throws: SealingError(.authenticationFailed)) { try openPublic(flipped, key: key, data) }
        }
        for bit in 0..<data.count * 8 {
            var flipped = data
            flipped[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: SealingError(.authenticationFailed)) { try open(box, key: key, flipped) }
        }
    }

    @Test("opens nothing that was cut", arguments: 0..<48)
    func cut(count: Int) throws {
        let key = try key(1)
        let box = try withSpan([1, 2, 3, 4, 5, 6, 7, 8]) { try AEAD.seal($0, key: key, authenticating: $0) }
        #expect(box.count == 48)
        let cut = Array(box.prefix(count))
        let data: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(throws: SealingError(.authenticationFailed)) { try open(cut, key: key, data) }
        #expect(throws: SealingError(.authenticationFailed)) { try openPublic(cut, key: key, data) }
    }

    @Test("opens nothing under another key")
    func wrongKey() throws {
        let key = try key(1)
        let other = try SealingKey.random()
        let box = try withSpan([1, 2, 3]) { try AEAD.seal($0, key: key, authenticating: $0) }
        #expect(throws: SealingError(.authenticationFailed)) { try open(box, key: other, [1, 2, 3]) }
    }

    @Test("never uses a nonce twice")
    func nonces() throws {
        let key = try key(1)
        let nonces = try (0..<1000).map { _ in
            try withSpan([]) { Array(try AEAD.seal($0, key: key, authenticating: $0).prefix(24)) }
        }
        #expect(Set(nonces).count == 1000)
    }

    @Test("a key has 32 bytes", arguments: [0, 31, 33, 64])
    func keyLength(count: Int) {
        #expect(throws: SealingError(.malformed)) { _ = try SealingKey(SecretBytes(byteCount: count)) }
    }
}

private func open(_ box: [UInt8], key: borrowing SealingKey, _ data: [UInt8]) throws -> [UInt8] {
    let opened = try AEAD.open(unsafe box.span.bytes, key: key, authenticating: unsafe data.span.bytes)
    return opened.copied
}

private func openPublic(_ box: [UInt8], key: borrowing SealingKey, _ data: [UInt8]) throws -> [UInt8] {
    try AEAD.openPublic(unsafe box.span.bytes, key: key, authenticating: unsafe data.span.bytes)
}
