package import Sealing

/// A store that keeps a block of key slots, each of which something else opens: a key file, a passphrase, the keyring.
package protocol SlottedStore: AdministrableStore {
    /// As of the last refresh or commit.
    var keySlots: KeySlots { get throws(StorageError) }

    /// Puts other keys, or other key slots under the same keys, in force; both at once, or nothing.
    ///
    /// Keys of a later epoch: every record is sealed anew by `reseal`, which is given its boxes and hands back the new ones. The
    /// same keys: nothing is sealed anew and `reseal` is not called. The writer's lock is held all the while.
    ///
    /// - Throws: ``StorageError/Code/foreign`` where keys and slots do not belong to this group or are older,
    ///   ``StorageError/Code/busy``, ``StorageError/Code/damaged`` where a box would be lost, and what `reseal` throws. What was in
    ///   force still is then, but after ``StorageError/Code/indeterminate``.
    func replaceKeys(
        with keys: GroupKeys,
        slots: KeySlots,
        until deadline: Deadline,
        reseal: (
            StoredRecord, PartitionTag, _ facts: RawSpan, _ secret: RawSpan?
        ) throws(StorageError) -> (facts: [UInt8], secret: [UInt8])
    ) throws(StorageError)
}
