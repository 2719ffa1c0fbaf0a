/// Takes the operations of one transaction. A store may spill them, so that a transaction of any size needs little
/// memory; nothing is visible before the commit returns.
///
/// Of several operations on one tag the last one counts.
package protocol BatchWriter: AnyObject {
    /// Adds or replaces a record.
    func put(_ record: NewRecord) throws(StorageError)

    /// Removes a record.
    func remove(_ removal: Removal) throws(StorageError)

    /// Removes every record of the group but those put in this transaction, and overwrites their secrets.
    func removeAll() throws(StorageError)
}
