// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
package import RecordStorage
package import Sealing
internal import Synchronization
internal import SystemPackage

/// Checks that the group in a folder is the one that was there when it was last opened, and that an open handle keeps
/// its group.
///
/// A pin that cannot be read or written does not prevent opening the group. Safe to use from any thread.
package final class GroupPinning: Sendable {
    private struct State {
        var pin: GroupPin?
        /// The keys that this handle has opened.
        var keys: GroupKeys?
    }

    /// `nil` below a root that the caller gave: there pins would be beside the data, and prove nothing.
    private let pins: GroupPins?
    /// The pins below the user's own root, wherever this group is: their records about other folders are valid.
    private let standardPins: GroupPins?
    private let directory: GroupDirectory
    /// Whether to accept the group that is there now, whichever group was there before.
    private let trusts: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - pins: the user's pins, if there are any.
    ///   - standard: the pins below the user's own root.
    ///   - directory: the folder of the group.
    ///   - trusts: whether to accept the group that is there now, whichever group was there before.
    init(_ pins: GroupPins?, standard: GroupPins?, _ directory: GroupDirectory, trusts: Bool) {
        self.pins = pins
        standardPins = standard
        self.trusts = trusts
        self.directory = directory
        state = Mutex(State(pin: trusts ? nil : (try? pins?.pin(for: directory.path.string)) ?? nil))
    }

    /// The group that was in the folder when it was last opened, if known.
    var pin: GroupPin? { state.withLock { $0.pin } }

    /// Rejects a group other than the pinned one, before any of its slots is tried.
    func check(_ group: GroupUUID) throws(StorageError) {
        let known = state.withLock { $0.keys?.uuid ?? $0.pin?.group }
        guard known == nil || known == group else { throw foreign }
    }

    /// Rejects keys other than the pinned ones, or than those used before through this handle.
    package func check(_ keys: GroupKeys) throws(StorageError) {
        let (used, pin) = state.withLock { ($0.keys, $0.pin) }
        if let used {
            guard used === keys || used.areOfSameGroup(as: keys) else { throw foreign }
            return
        }
        if let pin { guard try GroupPin(keys) == pin else { throw foreign } }
        state.withLock { $0.keys = keys }
    }

    /// Pins the group that was opened with these keys, unless it is already pinned.
    func keep(_ keys: GroupKeys) {
        guard let pins, pin == nil, let new = try? GroupPin(keys) else { return }
        try? pins.add(new, for: path)
    }

    /// Accepts any group from now on, because the folder contains none and gets a new one. The pin of the earlier group
    /// stays until ``forget()``: the creation may fail, and the earlier group may come back.
    func acceptNewGroup() { state.withLock { $0 = State() } }

    /// Removes the pin of the folder, because another group is or will be there.
    package func forget() throws(StorageError) {
        try pins?.remove(for: path)
        state.withLock { $0.pin = nil }
    }

    /// Whether a group with this UUID was opened in any folder, including this one, or exists beside it.
    func isUsed(_ group: GroupUUID) -> Bool {
        standardPins?.isPinned(group) == true || isClaimedBeside(group)
    }

    /// Whether a group with this UUID was opened in another folder, or exists beside this one, so that its key files
    /// and keyring items do not belong to this folder alone.
    package func isUsedElsewhere(_ group: GroupUUID) -> Bool {
        standardPins?.isPinned(group, elsewhereThanIn: path) == true || isClaimedBeside(group)
    }

    private func isClaimedBeside(_ group: GroupUUID) -> Bool {
        GroupDirectory.isClaimed(group, beside: directory.path)
    }

    /// Rejects a copy of the folder of a group in the keyring, because items that one of the two folders removes would
    /// be missing from the other.
    package func refuseCopy(of group: GroupUUID) throws(StorageError) {
        guard !trusts, pin == nil, let other = original(of: group) else { return }
        throw StorageError(
            .groupElsewhere,
            path: path,
            detail: "the folder \(other) already uses this group of the keyring"
        )
    }

    /// The path of another folder in which this group was opened, and which still claims to be this group's.
    package func original(of group: GroupUUID) -> String? {
        standardPins?.folder(of: group, otherThan: directory)
    }

    private var path: String { directory.path.string }

    private var foreign: StorageError {
        StorageError(
            .foreign,
            path: path,
            detail:
                "this folder contained another group when it was last opened",
            advice: "If you replaced it, run cachetool repair --adopt to accept this one; if not, restore the folder"
        )
    }
}
