/// The steps of creating a group, each durable before the next begins. Whoever comes after a creator that was killed
/// goes on from where it stopped.
package enum OpeningStep: Hashable, Sendable, CaseIterable {
    /// The state file says that the group is being created, and under which UUID.
    case stateBegun
    /// The key files are there.
    case keysMade
    /// The journal is there: from here on the group exists.
    case journalMade
    /// The state file says that the group is ready.
    case stateReady
}
