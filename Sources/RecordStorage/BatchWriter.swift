// SPDX-License-Identifier: Apache-2.0

/// Collects the operations of one transaction. A store may spill them to disk, so that a transaction of any size needs
/// little memory. They become visible only with the commit.
///
/// If several operations concern the same record, the last one wins.
package protocol BatchWriter: AnyObject {
    /// Adds or replaces a record.
    func put(_ record: NewRecord) throws(StorageError)

    /// Removes a record.
    func remove(_ removal: Removal) throws(StorageError)

    /// Removes every record of the group except those put in this transaction, and overwrites their secrets.
    func removeAll() throws(StorageError)

    /// Declares that the user requested a removal, even if the transaction writes only a tombstone. The transaction
    /// then succeeds on a full disk as far as the store reserves space for that, and also deletes data that the store
    /// keeps besides its records. Implied by an erasing removal and by ``removeAll()``; by itself it writes nothing.
    func declareRemoval(of scope: RemovalScope)
}
