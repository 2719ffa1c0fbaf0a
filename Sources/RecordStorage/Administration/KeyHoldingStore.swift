// SPDX-License-Identifier: Apache-2.0

package import Sealing

/// A store that keeps the keys of its group itself, under its own access control.
package protocol KeyHoldingStore: AdministrableStore {
    /// The current keys, as of the last read.
    var groupKeys: GroupKeys { get }

    /// Replaces the keys and reseals every record, part by part. An interrupted change is resumed by the next process
    /// that opens the group.
    ///
    /// - Parameters:
    ///   - deadline: for the lock and the work before the first part; each part has the same time again.
    ///   - meter: is passed the bytes resealed, the total and the number of records, before anything is changed and
    ///     after each part; if it throws, the change stops there.
    ///   - newKeys: makes the keys of the next epoch from the current ones.
    /// - Throws: ``StorageError/Code/damaged`` if records would be lost, ``StorageError/Code/foreign`` if the new keys
    ///   do not follow the old ones, and errors of the store.
    func replaceKeys(
        until deadline: Deadline,
        meter: (_ completed: Int, _ total: Int, _ recordCount: Int) throws(StorageError) -> Void,
        _ newKeys: (GroupKeys) throws(StorageError) -> GroupKeys
    ) throws(StorageError)
}
