// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
internal import GroupDirectory
internal import RecordStorage
internal import Sealing
internal import SystemPackage

extension GroupDirectory {
    /// Whether the folder claims to be this group's, by its state file or its journal. Not authenticated.
    ///
    /// - Returns: `nil` if this is unknown, because something cannot be read.
    func claims(_ group: GroupUUID) -> Bool? {
        do throws(StorageError) {
            let state = try readState()
            if state?.group == group.description { return true }
            guard try FileStore.look(in: self) == .journal else { return false }
            guard let claimed = try FileStore.claimedGroup(in: self) else { return state == nil ? nil : false }
            return claimed == group
        } catch {
            return error.code == .notFound ? false : nil
        }
    }

    /// Whether a folder below a root claims to be this group's; see ``claims(_:)``.
    static func claims(_ group: GroupUUID, _ name: GroupName, in root: FilePath) -> Bool? {
        do throws(StorageError) {
            return try GroupDirectory.open(root: root, name: name, access: .readOnly).claims(group)
        } catch {
            return error.code == .notFound ? false : nil
        }
    }

    /// Whether another folder beside the one at `path` claims to be this group's, or cannot be read: usually a copy.
    static func isClaimed(_ group: GroupUUID, beside path: FilePath) -> Bool {
        let root = path.removingLastComponent()
        guard let names = try? list(root: root) else { return true }
        return names.contains { $0.text != path.lastComponent?.string && claims(group, $0, in: root) != false }
    }
}
