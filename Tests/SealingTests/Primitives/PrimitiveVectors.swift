// SPDX-License-Identifier: Apache-2.0

import Testing

/// Figures of others for the primitives that libsodium gives us.
struct PrimitiveVectors: Decodable {
    struct Box: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let key: String
        let nonce: String
        let associatedData: String
        let plaintext: String
        let box: String
        var testDescription: String { name }
    }

    struct Hash: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let key: String
        let message: String
        let digest: String
        var testDescription: String { name }
    }

    struct Subkey: Decodable, Sendable, CustomTestStringConvertible {
        let rootKey: String
        let context: String
        let subkey: String
        let number: UInt64
        var testDescription: String { context }
    }

    struct Stretching: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let passphrase: String
        let salt: String
        let output: String
        let passes: UInt32
        let memoryKiB: Int
        var testDescription: String { name }
    }

    let xchacha20Poly1305: [Box]
    let blake2b: [Hash]
    let subkeys: [Subkey]
    let argon2id: [Stretching]

    static func load() throws -> PrimitiveVectors { try VectorFiles.load("primitives.json") }
}
