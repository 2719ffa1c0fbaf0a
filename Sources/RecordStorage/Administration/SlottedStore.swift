// SPDX-License-Identifier: Apache-2.0

package import Sealing

/// A store that keeps a block of key slots, each opened by a key file, a passphrase or the keyring.
package protocol SlottedStore: AdministrableStore {
    /// The key slots as of the last refresh or commit.
    var keySlots: KeySlots { get throws(StorageError) }

    /// Atomically replaces the keys, or the key slots of the same keys.
    ///
    /// With keys of a later epoch, `reseal` receives the boxes of every record and returns the new ones; with the same
    /// keys it is not called. The writer's lock is held throughout.
    ///
    /// - Throws: ``StorageError/Code/foreign`` if keys and slots do not belong to this group or are older,
    ///   ``StorageError/Code/busy``, ``StorageError/Code/damaged`` if a box would be lost, and the errors of `reseal`.
    ///   The old keys and slots then stay in use, except after ``StorageError/Code/indeterminate``.
    func replaceKeys(
        with keys: GroupKeys,
        slots: KeySlots,
        until deadline: Deadline,
        reseal: (
            StoredRecord, PartitionTag, _ facts: RawSpan, _ secret: RawSpan?
        ) throws(StorageError) -> (facts: [UInt8], secret: [UInt8])
    ) throws(StorageError)
}
