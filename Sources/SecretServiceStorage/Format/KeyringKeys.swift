// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing

/// The subkeys that items need for one epoch, derived once. Thread-safe.
final class KeyringKeys: Sendable {
    let group: GroupKeys
    /// Seals the heads of partition items.
    let head: SealingKey
    private let hash: SealingKey

    var epoch: UInt32 { group.epoch }

    init(_ group: GroupKeys) throws(StorageError) {
        self.group = group
        head = try sealing(try group.subkey(.storeIndex))
        hash = try sealing(try group.subkey(.frameBoxes))
    }

    /// A sixteen-byte hash that authenticates `bytes`. They begin with a magic that is specific to their kind.
    func hash(_ bytes: [UInt8]) throws(StorageError) -> [UInt8] {
        let words = try sealing(try KeyedHash.hash128(bytes.rawSpan, key: hash))
        var result: [UInt8] = []
        result.append(littleEndian: words.0)
        result.append(littleEndian: words.1)
        return result
    }
}
