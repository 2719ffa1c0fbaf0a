// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import Programs
import SeededRandom
import TokenCaching

/// Cases whose records are in a keyring: the folder of the group is attacked, and the keyring has to come out whole.
struct KeyringTrials {
    private let scene: Scene
    /// Lives as long as the trials.
    private let keyring: PrivateKeyring
    private var version = 0
    var note: (String) -> Void
    private let session = Session(name: Scene.group)
    private let sibling = Session(name: Scene.sibling)
    private let neighbours: Set<String>
    private var tree: Tree
    private var secrets: Set<String>

    private static let files = ["items", "items", "items", "store", "store", "revision", "lock", "leases"]

    init(_ scene: Scene, note: @escaping (String) -> Void) throws {
        self.scene = scene
        self.note = note
        keyring = try PrivateKeyring()
        unsafe setenv("DBUS_SESSION_BUS_ADDRESS", keyring.address, 1)
        scene.clear()
        for (name, people) in [(Scene.group, Templates.people), (Scene.sibling, Templates.neighbours)] {
            try Session(name: name, storage: .keyring).take(people.document(0..<3, version: 0), create: true)
        }
        neighbours = try sibling.export()
        secrets = try session.export()
        tree = scene.tree
    }

    /// - Returns: what was done to the folder.
    mutating func run(seed: UInt64, mask: UInt64) -> (text: String, finding: Finding?) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<4 { _ = random.next() }
        var templates = Templates()
        templates.add(Templates.State(name: "in a keyring", tree: tree, secrets: secrets))
        var mutator = Mutator(
            templates: templates,
            state: 0,
            isLive: false,
            random: SeededGenerator(seed: random.next())
        )
        mutator.files = Self.files
        let mutations = mutator.mutationsOfFolder().enumerated().filter { mask >> UInt64($0.offset) & 1 == 1 }.map(
            \.element
        )
        let text = "in a keyring" + mutations.map { "\n    " + $0.text }.joined()
        do throws(Finding) {
            note("restore")
            tree.restore(to: scene.folder)
            for mutation in mutations { mutation.apply(scene) }
            version += 1
            try attack(account: Int.random(in: 0..<3, using: &random))
            return (text, nil)
        } catch {
            return (text, error)
        }
    }

    private mutating func attack(account: Int) throws(Finding) {
        note("read")
        let found = reading { () throws(TokenCacheError) in try session.export() }
        if let found, !found.isSuperset(of: secrets) {
            throw Finding(kind: .lost, sentence: "with such a folder records of the keyring are not found")
        }
        note("look")
        _ = reading { () throws(TokenCacheError) in try CacheGroup.list() }
        _ = reading { () throws(TokenCacheError) in
            let group = try session.open(.readOnly)
            defer { group.close() }
            _ = try group.verify()
        }
        note("save")
        let isSaved =
            reading { () throws(TokenCacheError) in
                try session.take(Templates.people.document(account..<account + 1, version: version))
            } != nil
        // What the keyring has, by a folder that nobody touched.
        note("restore the state file")
        if let store = tree[Templates.path("store")] { Disk.replaceAnything(scene.groupFolder + "/store", with: store) }
        for name in ["items", "revision", "lock", "leases"] { Disk.remove(scene.groupFolder + "/" + name) }
        note("read it whole")
        let kept = reading { () throws(TokenCacheError) in try session.export() }
        guard let kept else {
            throw Finding(kind: .destroyed, sentence: "the group in the keyring does not open any more")
        }
        let others = secrets.filter { !$0.hasPrefix(Templates.people.flags(account)) }
        if !kept.isSuperset(of: others) {
            throw Finding(kind: .destroyed, sentence: "records of the keyring are gone")
        }
        if isSaved, !kept.isSuperset(of: Templates.people.secrets(account, version: version)) {
            throw Finding(kind: .lost, sentence: "what was acknowledged is not in the keyring")
        }
        guard try sibling.exportOrNothing() == neighbours else {
            throw Finding(kind: .touched, sentence: "the group beside it in the keyring was touched")
        }
        (tree, secrets) = (scene.tree, kept)
    }

    private func reading<Result>(_ body: () throws(TokenCacheError) -> Result) -> Result? {
        do throws(TokenCacheError) {
            return try body()
        } catch {
            let text = "\(error) \(error.detail ?? "")"
            note(text.contains(People.canary) ? Trial.shownMark + text : "failed: \(error.code)")
            return nil
        }
    }
}

extension Session {
    fileprivate func exportOrNothing() throws(Finding) -> Set<String> {
        do throws(TokenCacheError) {
            return try export()
        } catch {
            return []
        }
    }
}
