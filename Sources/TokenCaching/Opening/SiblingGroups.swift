internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage

/// The groups beside a group, under the same root.
struct SiblingGroups: Hashable, Sendable {
    /// The folder of the group itself.
    let path: FilePath

    /// Whether one of them says that it has this UUID: a copy of the folder, as a rule. Nobody vouches for what it says; and
    /// where it says nothing that can be read, it may be one.
    func claim(_ group: GroupUUID) -> Bool {
        let root = path.removingLastComponent()
        guard let names = try? GroupDirectory.list(root: root) else { return true }
        return names.contains { $0.text != path.lastComponent?.string && Self.claims(group, $0, root) }
    }

    private static func claims(_ group: GroupUUID, _ name: GroupName, _ root: FilePath) -> Bool {
        do throws(StorageError) {
            let sibling = try GroupDirectory.open(root: root, name: name, access: .readOnly)
            let state = try sibling.readState()
            if state?.group == group.description { return true }
            guard try FileStore.look(in: sibling) == .journal else { return false }
            guard let claimed = try FileStore.claimedGroup(in: sibling) else { return state == nil }
            return claimed == group
        } catch {
            return error.code != .notFound
        }
    }
}
