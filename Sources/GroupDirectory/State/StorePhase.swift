/// How far the store of a group has come.
package enum StorePhase: String, Hashable, Sendable, CaseIterable {
    /// Being made. Whoever comes next may finish or begin again: nothing was acknowledged yet.
    case creating
    /// In use.
    case ready
    /// Its records are being taken to another kind of store. Nobody writes meanwhile.
    case moving
}
