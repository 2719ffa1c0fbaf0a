// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
package import GroupDirectory
package import RecordStorage
package import Sealing
internal import SecretServiceStorage
package import SystemPackage

/// The location of a group: its name, the root above it, and the folder of its key files.
package struct GroupLocation: Sendable {
    package let name: GroupName
    /// The parent of group folders, as an absolute path.
    package let root: FilePath
    package let ownKeyFiles: OwnKeyFiles
    /// Whether the group may be on a network file system.
    package let allowsNetworkFileSystem: Bool
    /// The address of the session bus; nil if there is none.
    package let busAddress: String?

    /// - Parameters:
    ///   - name: the name of the group.
    ///   - root: the root that the caller gave; `nil` for the user's own.
    ///   - environment: the variables of the process.
    /// - Throws: ``StorageError/Code/invalidName``, ``StorageError/Code/homeMissing`` if the home folder is unknown.
    package init(
        _ name: String,
        root: String?,
        environment: [String: String]
    ) throws(StorageError) {
        self.name = try GroupName(name)
        allowsNetworkFileSystem = environment[Environment.allowsNetworkFileSystem] == "1"
        busAddress = SecretServiceLocation.busAddress(in: environment)
        let given = try root.map { (text) throws(StorageError) in try GroupLocation.root(text) }
        let groupsRoot = if let given { given } else { try GroupDirectory.defaultRoot(environment: environment) }
        self.root = groupsRoot
        let ownFiles = try? OwnKeyFiles(root: nil, earlierRoot: groupsRoot, environment: environment)
        // The user's own root is the same whether the caller names it or not.
        let isOwn = ownFiles != nil && given.map { Self.isOwnRoot($0, environment) } ?? true
        ownKeyFiles =
            if isOwn, let ownFiles { ownFiles } else { try OwnKeyFiles(root: given, environment: environment) }
    }

    /// Opens the folder of the group.
    ///
    /// - Throws: the errors of ``GroupDirectory/open(root:name:access:allowsNetworkFileSystem:ignoresUnsafePage:)``.
    package func openDirectory(
        _ access: DirectoryAccess,
        ignoringUnsafePage: Bool = false
    ) throws(StorageError) -> GroupDirectory {
        try GroupDirectory.open(
            root: root,
            name: name,
            access: access,
            allowsNetworkFileSystem: allowsNetworkFileSystem,
            ignoresUnsafePage: ignoringUnsafePage
        )
    }

    /// Whether the keyring holds a group of this name, for any folder. False if the keyring cannot be asked.
    package func isInKeyring(until deadline: Deadline) -> Bool { (try? keyringHasGroup(until: deadline)) == true }

    /// Whether the keyring holds a group of this name, for any folder. A session without a keyring holds none.
    ///
    /// - Throws: the error of a keyring that cannot be asked: then the answer is unknown.
    package func keyringHasGroup(until deadline: Deadline) throws(StorageError) -> Bool {
        guard let busAddress else { return false }
        do throws(StorageError) {
            let location = SecretServiceLocation(busAddress: busAddress)
            return try SecretServiceStore.hasGroup(named: name, location, until: deadline)
        } catch {
            if error.code == .keyringMissing { return false }
            throw error
        }
    }

    /// What the library keeps outside the folder for the key slots of a group of this name.
    package func externalSecrets(of group: GroupUUID) -> ExternalSecrets {
        let access = KeyringAccess(group: name, busAddress: busAddress, prompts: .never)
        return ExternalSecrets(of: group, ownKeyFiles: ownKeyFiles, keyringAccess: access)
    }

    /// The paths of key files that the library made for groups of which no folder below this root is left, as far as the
    /// folders' files say. Empty if any of those cannot be read.
    ///
    /// - Parameter ignoringOwnFolder: whether the folder of this group does not count.
    /// - Returns: the paths.
    package func orphanedKeyFiles(ignoringOwnFolder: Bool = false) -> [String] {
        guard let names = try? GroupDirectory.list(root: root) else { return [] }
        var groups: Set<GroupUUID> = []
        for name in names where !ignoringOwnFolder || name != self.name {
            do throws(StorageError) {
                let directory = try GroupDirectory.open(root: root, name: name, access: .readOnly)
                if let group = try directory.readState().flatMap({ GroupUUID($0.group) }) { groups.insert(group) }
                if let group = try FileStore.claimedGroup(in: directory) { groups.insert(group) }
            } catch {
                return []
            }
        }
        return ownKeyFiles.groups.subtracting(groups).flatMap { (try? ownKeyFiles.all(of: $0)) ?? [] }.map(\.path)
    }

    /// Whether a root is the user's own. A symbolic link to it counts as a different root.
    private static func isOwnRoot(_ root: FilePath, _ environment: [String: String]) -> Bool {
        let own = try? GroupDirectory.defaultRoot(environment: environment)
        return root.lexicallyNormalized() == own?.lexicallyNormalized()
    }

    /// Parses a root that the caller gave.
    package static func root(_ text: String) throws(StorageError) -> FilePath {
        guard !text.isEmpty else {
            throw StorageError(.notFound, detail: "the path of the root folder is empty", advice: "Name a folder")
        }
        return try FilePath(text).absolute()
    }
}
