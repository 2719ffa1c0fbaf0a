internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization
internal import SystemPackage

/// Holds the group in a folder to what it was when it was opened last, and an open handle to what it was at its opening.
///
/// A pin that cannot be read or written keeps nobody from the group. Safe from any thread.
package final class GroupPinning: Sendable {
    private struct State {
        var pin: GroupPin?
        /// Of what this handle has opened.
        var keys: GroupKeys?
    }

    /// `nil` under a root that was named: pins would lie beside the data there, and prove nothing.
    private let pins: GroupPins?
    /// Those under the user's own root, wherever this group is: what they say of other folders holds.
    private let standardPins: GroupPins?
    private let directory: GroupDirectory
    /// Whether what lies there now is taken for the group, whatever lay there before.
    private let trusts: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - pins: of the user, where there are any.
    ///   - standard: those under the user's own root.
    ///   - directory: of the group.
    ///   - trusts: whether what lies there now is taken for the group, whatever lay there before.
    init(_ pins: GroupPins?, standard: GroupPins?, _ directory: GroupDirectory, trusts: Bool) {
        self.pins = pins
        standardPins = standard
        self.trusts = trusts
        self.directory = directory
        state = Mutex(State(pin: trusts ? nil : (try? pins?.pin(for: directory.path.string)) ?? nil))
    }

    /// What lay in the folder when it was opened last, as far as that is known.
    var pin: GroupPin? { state.withLock { $0.pin } }

    /// Refuses another group than the one that is pinned, before anything is tried with its slots.
    func check(_ group: GroupUUID) throws(StorageError) {
        let known = state.withLock { $0.keys?.uuid ?? $0.pin?.group }
        guard known == nil || known == group else { throw foreign }
    }

    /// Refuses other keys than those that are pinned, or were used before through this handle.
    package func check(_ keys: GroupKeys) throws(StorageError) {
        let (used, pin) = state.withLock { ($0.keys, $0.pin) }
        if let used {
            guard used === keys || used.areOfSameGroup(as: keys) else { throw foreign }
            return
        }
        if let pin { guard try GroupPin(keys) == pin else { throw foreign } }
        state.withLock { $0.keys = keys }
    }

    /// Pins the group that was opened with these keys, where it is not pinned yet.
    func keep(_ keys: GroupKeys) {
        guard let pins, pin == nil, let new = try? GroupPin(keys) else { return }
        try? pins.add(new, for: path)
    }

    /// Forgets what lay in the folder: it holds no group, and gets a new one.
    package func forget() throws(StorageError) {
        try pins?.remove(for: path)
        state.withLock { $0 = State() }
    }

    /// Whether a group with this UUID was opened in any folder, this one included, or lies beside it.
    func isUsed(_ group: GroupUUID) -> Bool {
        standardPins?.isPinned(group) == true || isClaimedBeside(group)
    }

    /// Whether a group with this UUID was opened in another folder, or lies beside this one: what the library made for it is
    /// not this one's alone.
    package func isUsedElsewhere(_ group: GroupUUID) -> Bool {
        standardPins?.isPinned(group, elsewhereThanIn: path) == true || isClaimedBeside(group)
    }

    /// Whether a folder beside this one says that it is this group, or cannot be read: a copy, as a rule.
    private func isClaimedBeside(_ group: GroupUUID) -> Bool {
        let root = directory.path.removingLastComponent()
        guard let names = try? GroupDirectory.list(root: root) else { return true }
        return names.contains { $0 != directory.name && GroupDirectory.claims(group, $0, in: root) != false }
    }

    /// Refuses a copy of the folder of a group in the keyring: what one of the two removes there, the other would miss.
    func refuseCopy(of group: GroupUUID) throws(StorageError) {
        guard !trusts, pin == nil, let other = original(of: group) else { return }
        throw StorageError(
            .groupElsewhere,
            path: path,
            detail: "this is another folder than \(other), which has the same group of the keyring"
        )
    }

    /// The path of another folder in which this group was opened, and which still says that it is the group.
    package func original(of group: GroupUUID) -> String? {
        standardPins?.folder(of: group, otherThan: directory)
    }

    private var path: String { directory.path.string }

    private var foreign: StorageError {
        StorageError(
            .foreign,
            path: path,
            detail:
                "another group lay in this folder when it was opened last; if you put this one there on purpose, cachetool repair "
                + "--adopt takes it from now on; if not, restore the folder"
        )
    }
}
