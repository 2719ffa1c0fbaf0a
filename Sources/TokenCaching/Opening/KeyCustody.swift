package import RecordStorage

/// Who keeps the keys of an open group. It decides how they are changed, and whether there is anything to be changed.
package enum KeyCustody: Sendable {
    /// The store has key slots, each of which something else opens.
    case slots(any SlottedStore, KeyUnlocker, OwnKeyFiles)
    /// The store keeps the keys itself.
    case store(any KeyHoldingStore)
    /// Nobody: they were made for this process and end with it.
    case process
}
