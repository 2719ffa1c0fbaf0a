package import Sealing

/// A store that keeps the keys of its group itself, where nobody who may not read them can.
package protocol KeyHoldingStore: AdministrableStore {
    /// Those in force, as far as the store has read.
    var groupKeys: GroupKeys { get }

    /// Puts new keys in force and seals every record anew, part by part. What fails on the way stays begun, and whoever opens
    /// the group next goes on.
    ///
    /// - Parameters:
    ///   - deadline: for the lock and what comes before the first part; each part has as much time again.
    ///   - meter: is told before anything is changed, and after each part, how many bytes are sealed anew, of how many, with how
    ///     many records; an error that it throws ends the change there.
    ///   - newKeys: makes the keys of the next epoch out of those in force.
    /// - Throws: ``StorageError/Code/damaged`` where records would be lost, ``StorageError/Code/foreign`` where the new keys do not
    ///   follow the old ones, and what the store meets.
    func replaceKeys(
        until deadline: Deadline,
        meter: (_ completed: Int, _ total: Int, _ recordCount: Int) throws(StorageError) -> Void,
        _ newKeys: (GroupKeys) throws(StorageError) -> GroupKeys
    ) throws(StorageError)
}
