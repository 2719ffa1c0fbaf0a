package import GroupDirectory
package import RecordStorage
internal import SecretServiceStorage
package import SystemPackage

/// Where a group lies: its name, the root above it, and where its key files are.
package struct GroupLocation: Sendable {
    package let name: GroupName
    /// The parent of group folders, from the top on.
    package let root: FilePath
    package let ownKeyFiles: OwnKeyFiles
    /// Which group lay in which folder; `nil` under a root that was named, where key files lie beside the data.
    package let pins: GroupPins?
    /// Those of the groups under the user's own root, whichever root was named; `nil` if no home folder is known.
    let standardPins: GroupPins?
    /// Whether it may lie on a network file system.
    package let allowsNetworkFileSystem: Bool
    /// The address of the session bus; nil if there is none.
    package let busAddress: String?

    /// - Parameters:
    ///   - name: of the group.
    ///   - root: the root that the caller named; `nil` for the one of the user.
    ///   - environment: the variables of the process.
    /// - Throws: ``StorageError/Code/invalidName``, ``StorageError/Code/homeMissing`` if no home folder is known.
    package init(
        _ name: String,
        root: String?,
        environment: [String: String]
    ) throws(StorageError) {
        self.name = try GroupName(name)
        allowsNetworkFileSystem = environment[Environment.allowsNetworkFileSystem] == "1"
        busAddress = SecretServiceLocation.busAddress(in: environment)
        let given = try root.map { (text) throws(StorageError) in try GroupLocation.root(text) }
        self.root = if let given { given } else { try GroupDirectory.defaultRoot(environment: environment) }
        ownKeyFiles = try OwnKeyFiles(root: given, environment: environment)
        standardPins = (try? OwnKeyFiles(root: nil, environment: environment)).map { files in
            GroupPins(folder: files.folder.removingLastComponent().appending("pins"))
        }
        pins = given == nil ? standardPins : nil
    }

    /// Whether the keyring has a group of this name, whichever folder that belongs to. False if it cannot be asked.
    package func isInKeyring(until deadline: Deadline) -> Bool {
        guard let busAddress else { return false }
        let location = SecretServiceLocation(busAddress: busAddress)
        return (try? SecretServiceStore.hasGroup(named: name, location, until: deadline)) == true
    }

    /// A root as the caller named it.
    package static func root(_ text: String) throws(StorageError) -> FilePath {
        guard !text.isEmpty else {
            throw StorageError(.notFound, detail: "the path of the root folder is empty; name a folder")
        }
        return try FilePath(text).absolute()
    }
}
