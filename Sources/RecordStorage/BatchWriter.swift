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

    /// Says that a person had something taken away, be it that only a mark of it is left to be written: the transaction
    /// goes through on a full disk as far as a store can keep room for that, and what a store has besides its records
    /// goes with them. A removal that erases and ``removeAll()`` say so themselves; alone it writes nothing.
    func declareRemoval(of scope: RemovalScope)
}
