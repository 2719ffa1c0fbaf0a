// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import SystemPackage
import TokenCaching

/// What trials begin with: one group in several states of its life, a group beside it, and one that an attacker made.
struct Templates {
    static let people = People(group: Scene.group)
    static let neighbours = People(group: Scene.sibling)
    static let strangers = People(group: "attacker")
    static let accounts = 10

    /// One state of the group, with everything beside it.
    struct State {
        let name: String
        let tree: Tree
        /// The secrets that it gives.
        let secrets: Set<String>
        /// Bytes of boxes that are in use, by where they stand in the journal.
        var boxes = BoxBytes()
    }

    private(set) var states: [State] = []
    /// The folder of a group that an attacker made, and the key file that opens it.
    private(set) var attackers: [Tree] = []

    init() {}

    mutating func add(_ state: State) { states.append(state) }

    /// Makes all of them, with the records in files.
    init(in scene: Scene) throws {
        scene.clear()
        let (session, sibling) = (Session(name: Scene.group), Session(name: Scene.sibling))
        try sibling.take(Self.neighbours.document(0..<4, version: 0), create: true)
        try session.open(.create).close()
        func note(_ name: String) throws {
            let tree = scene.tree
            let secrets = try session.export()
            // What a compaction keeps was in use.
            try session.change { group throws(TokenCacheError) in try group.compact() }
            let compacted = Disk.read(scene.groupFolder + "/journal") ?? []
            tree.restore(to: scene.folder)
            let journal = tree[Self.path("journal")] ?? []
            Disk.write([0], to: scene.groupFolder + "/journal", keepsLength: true)
            _ = try GroupReference(Scene.group).repair()
            let repaired = Disk.read(scene.groupFolder + "/journal") ?? []
            tree.restore(to: scene.folder)
            var state = State(name: name, tree: tree, secrets: secrets)
            state.boxes = BoxBytes(of: journal, keptIn: compacted, and: repaired)
            // A measure that measures nothing finds nothing.
            guard secrets.isEmpty == (state.boxes.count == 0) else { throw TokenCacheError(.damaged) }
            for account in 0..<Self.accounts - 1 where !secrets.isEmpty {
                try session.signOut(Self.people.id(account))
                try session.change { group throws(TokenCacheError) in try group.compact() }
                let compacted = Disk.read(scene.groupFolder + "/journal") ?? []
                state.boxes.note(signOutOf: account, leaving: compacted)
                tree.restore(to: scene.folder)
            }
            states.append(state)
        }
        try note("new")
        try session.take(Self.people.document(0..<Self.accounts, version: 0))
        try note("imported")
        for number in 0..<4 { try session.take(Self.people.document(number..<number + 1, version: 1)) }
        try session.signOut(Self.people.id(Self.accounts - 1))
        try session.take(Self.people.document(5..<6, version: 2))
        try note("lived in")
        try session.change { group throws(TokenCacheError) in try group.compact() }
        try note("compacted")
        try session.take(Self.people.document(2..<4, version: 3))
        try note("compacted and lived in")
        try session.change { group throws(TokenCacheError) in _ = try group.rekey() }
        try note("with new keys")
        attackers = try [attacker(sharingTheUUID: false, scene), attacker(sharingTheUUID: true, scene)]
    }

    static func path(_ file: String) -> String { Scene.groups + "/" + Scene.group + "/" + file }

    /// A group made elsewhere, whose state file names a key file that lies beside the journal.
    private func attacker(sharingTheUUID: Bool, _ scene: Scene) throws -> Tree {
        scene.clear()
        let key = scene.groupFolder + "/attacker-key"
        let session = Session(name: Scene.group, storage: .file(unlockedBy: .keyFile(path: key)))
        if sharingTheUUID {
            let uuid = Self.uuid(ofStateIn: states[0].tree) ?? GroupUUID()
            let directory = try GroupDirectory.open(
                root: FilePath(scene.folder + "/" + Scene.groups),
                name: GroupName(Scene.group),
                access: .create
            )
            let secret = Array(UInt8(1)...64)
            Disk.write(secret, to: key)
            let keys = try GroupKeys.generate(uuid: uuid)
            let slots = try KeySlots.create(
                for: keys,
                slots: [NewSlot(.keyFile(SecretBytes(copying: secret.rawBytes)))]
            )
            let store = try FileStore.create(in: directory, keys: keys, slots: slots, until: .after(.seconds(20))) {
                _,
                _ throws(StorageError) in keys
            }
            store.close()
            try session.take(Self.strangers.document(0..<3, version: 0))
            Disk.write(
                StoreLines.sealed([
                    "swift-token-cache store 1", "storage file", "reason no keyring", "group \(uuid)", "phase ready",
                    "key-file \(key)",
                ]),
                to: scene.groupFolder + "/store"
            )
        } else {
            Disk.makeFolder(scene.groupFolder)
            try session.take(Self.strangers.document(0..<3, version: 0), create: true)
        }
        return scene.tree
    }

    static func uuid(ofStateIn tree: Tree) -> GroupUUID? {
        StoreLines.value("group", in: tree[path("store")] ?? []).flatMap { GroupUUID($0) }
    }
}
