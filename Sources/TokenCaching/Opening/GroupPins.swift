// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import GroupRecords
package import RecordStorage
package import Sealing
package import SystemPackage

/// The group that was in a folder when it was last opened, and its tag key.
package struct GroupPin: Hashable, Sendable {
    package let group: GroupUUID
    /// Identifies the tag key without revealing it.
    let check: [UInt8]

    init(group: GroupUUID, check: [UInt8]) {
        self.group = group
        self.check = check
    }

    package init(_ keys: GroupKeys) throws(StorageError) {
        group = keys.uuid
        check = try sealing(try keys.checkValue().bytes)
    }
}

/// The pins of a user's groups: a small file for each folder, beside the key files that the library creates. Without
/// write access to these files, a process that can write the data cannot substitute a group of its own.
package struct GroupPins: Hashable, Sendable {
    package let folder: FilePath

    private static let firstLine = "swift-token-cache pin 1"
    private static let maximumByteCount = 16 * 1024
    /// The maximum number of folders of one group that are checked. A user has a few copies, but a process that can
    /// write pins could name any number.
    private static let maximumFolderCount = 64

    /// The name of the file for the group in the folder at `path`.
    static func name(for path: String) -> String { SHA256Digest.hexadecimal(of: path) }

    /// The path of the pin for the group in the folder at `path`.
    package func file(for path: String) -> String { folder.appending(Self.name(for: path)).string }

    /// - Returns: `nil` if the group was never pinned.
    /// - Throws: ``StorageError/Code/damaged``, ``StorageError/Code/unsafePermissions`` and other errors of reading a
    ///   private file.
    package func pin(for path: String) throws(StorageError) -> GroupPin? {
        guard let found = try read(Self.name(for: path)) else { return nil }
        guard found.path.utf8.elementsEqual(path.utf8) else { throw Self.damaged(file(for: path)) }
        return found.pin
    }

    /// Pins the group in the folder at `path`, durably, unless it is already pinned.
    package func add(_ pin: GroupPin, for path: String) throws(StorageError) {
        let digits = Hexadecimal.text(pin.check)
        // The path comes last: it may contain any character except NUL.
        let text = "\(Self.firstLine)\ngroup \(pin.group)\ncheck \(digits)\nfolder \(path)\n"
        let folder = try PrivateFolder.open(folder, creates: true)
        do throws(StorageError) {
            try folder.createFile(Self.name(for: path), content: Array(text.utf8).rawSpan)
        } catch {
            guard error.code == .exists else { throw error }
        }
    }

    /// Removes the pin of the folder at `path`. A missing pin is not an error.
    package func remove(for path: String) throws(StorageError) {
        guard try exists(path) else { return }
        try PrivateFolder.open(folder).removeFile(Self.name(for: path))
    }

    /// Whether there is a pin of the folder at `path`, readable or not. False if that is unknown.
    package func hasPin(for path: String) -> Bool { (try? exists(path)) ?? false }

    private func exists(_ path: String) throws(StorageError) -> Bool {
        do throws(StorageError) {
            return try PrivateFolder.open(folder).names().contains(Self.name(for: path))
        } catch {
            guard error.code == .notFound else { throw error }
            return false
        }
    }

    /// Whether a group with this UUID was opened in a folder other than the one at `path`. That folder need not exist,
    /// because a process that can write the data can move it away for a while. A pin that cannot be read counts too.
    func isPinned(_ group: GroupUUID, elsewhereThanIn path: String? = nil) -> Bool {
        let own = path.map { Self.name(for: $0) }
        do throws(StorageError) {
            // Files with other names are temporary files that were never renamed.
            for name in try PrivateFolder.open(folder).names() where name.utf8.count == 64 && name != own {
                if let found = try read(name), found.pin.group == group { return true }
            }
            return false
        } catch {
            return error.code != .notFound
        }
    }

    /// The path of another folder in which a group with this UUID was opened, and which still claims to be that
    /// group's; `nil` if none of the first few does. One folder may have several paths.
    func folder(of group: GroupUUID, otherThan own: GroupDirectory) -> String? {
        guard let names = try? PrivateFolder.open(folder).names() else { return nil }
        var lookCount = 0
        for name in names where name.utf8.count == 64 && lookCount < Self.maximumFolderCount {
            guard let found = (try? read(name)) ?? nil, found.pin.group == group else { continue }
            lookCount += 1
            let path = FilePath(found.path)
            guard let last = path.lastComponent, let group = try? GroupName(last.string),
                let other = try? GroupDirectory.open(
                    root: path.removingLastComponent(),
                    name: group,
                    access: .readOnly
                ),
                !other.isSameFolder(as: own), other.claims(found.pin.group) == true
            else { continue }
            return found.path
        }
        return nil
    }

    private func read(_ name: String) throws(StorageError) -> (pin: GroupPin, path: String)? {
        let file: CheckedFile
        do throws(StorageError) {
            file = try PrivateFolder.open(folder).openFile(name)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
        let bytes = try describing("reading the file", path: file.path) { () throws(Errno) in
            try Syscalls.read(file.descriptor, at: 0, count: Self.maximumByteCount + 1)
        }
        guard bytes.count <= Self.maximumByteCount, let found = Self.parse(bytes) else { throw Self.damaged(file.path) }
        return found
    }

    private static func parse(_ bytes: [UInt8]) -> (pin: GroupPin, path: String)? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(validating: $0, as: UTF8.self) }
        guard lines.count == 4, lines[0] == firstLine, lines[3]?.utf8.last == UInt8(ascii: "\n"),
            let group = value("group ", in: lines[1]).flatMap({ GroupUUID($0) }),
            let check = value("check ", in: lines[2]).flatMap({ Hexadecimal.bytes($0) }),
            check.count == Digest.byteCount,
            let path = value("folder ", in: lines[3])
        else { return nil }
        return (GroupPin(group: group, check: check), String(decoding: path.utf8.dropLast(), as: UTF8.self))
    }

    private static func value(_ key: String, in line: String?) -> String? {
        guard let line, line.utf8.starts(with: key.utf8) else { return nil }
        return String(decoding: line.utf8.dropFirst(key.utf8.count), as: UTF8.self)
    }

    private static func damaged(_ path: String) -> StorageError {
        StorageError(
            .damaged,
            path: path,
            detail: "this file, which records which group was in the folder when it was last opened, is malformed",
            advice: "Run cachetool repair --adopt, which writes it again for the group that is in the folder now"
        )
    }
}
