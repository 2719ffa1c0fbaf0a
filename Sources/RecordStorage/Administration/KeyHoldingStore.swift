// SPDX-License-Identifier: Apache-2.0

package import Sealing

/// A store that keeps the keys of its group itself, under its own access control.
package protocol KeyHoldingStore: AdministrableStore {
    /// The current keys, as of the last read.
    var groupKeys: GroupKeys { get }

    /// Replaces the keys and reseals every record, part by part. The next process that opens the group resumes an
    /// interrupted change.
    ///
    /// - Parameters:
    ///   - deadline: for the lock and the work before the first part; restarts for each part.
    ///   - meter: receives the bytes resealed, the total and the number of records, before any change and after each
    ///     part; throws to stop the change.
    ///   - newKeys: returns the keys of the next epoch, given the current ones.
    /// - Throws: ``StorageError/Code/damaged`` if records would be lost, ``StorageError/Code/foreign`` if the new keys
    ///   do not follow the old ones, and errors of the store.
    func replaceKeys(
        until deadline: Deadline,
        meter: (_ completed: Int, _ total: Int, _ recordCount: Int) throws(StorageError) -> Void,
        _ newKeys: (GroupKeys) throws(StorageError) -> GroupKeys
    ) throws(StorageError)
}
