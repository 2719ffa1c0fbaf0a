// SPDX-License-Identifier: Apache-2.0

import SeededRandom

/// One thing done to the files of a group by somebody who is not us.
struct Mutation {
    /// What it is, for people.
    let text: String
    /// The path that it changes, below the scene; a folder stands for all in it.
    let path: String
    /// Whether it was sealed with the keys of the group: then it may say what it likes about what is stored.
    var isForged = false
    /// The state whose journal was written, changed or not, where one was.
    var journalOf: Int?
    let apply: (Scene) -> Void
}

/// Makes mutations of one state of the group.
struct Mutator {
    let templates: Templates
    let state: Int
    /// Whether the group is open meanwhile: then the shared page is not shortened, which ends whoever maps it.
    let isLive: Bool
    var random: SeededGenerator
    /// The names of files in the folder that are attacked, those that a keyring has too.
    var files = [
        "journal", "store", "revision", "lock", "leases", "items", "quarantine/torn.1700000000.0123456789abcdef",
    ]

    private var tree: Tree { templates.states[state].tree }

    mutating func mutations() -> [Mutation] {
        (0..<random.pick(1, 1, 1, 2, 2, 3)).map { _ in mutation() }
    }

    /// For a group whose records are elsewhere: what can be done to its folder.
    mutating func mutationsOfFolder() -> [Mutation] {
        (0..<random.pick(1, 1, 2)).map { _ in
            switch random.pick("bytes", "bytes", "store", "page", "file") {
            case "bytes": bytes(of: random.pick(files))
            case "store": storeLines()
            case "page": page()
            default: planted()
            }
        }
    }

    private mutating func mutation() -> Mutation {
        if isLive, random.once(in: 4) { return overwrite() }
        return
            switch random.pick(
                "journal",
                "journal",
                "journal",
                "journal",
                "forged",
                "forged",
                "store",
                "store",
                "store",
                "page",
                "page",
                "file",
                "swap",
                "swap",
                "folder",
                "key"
            )
        {
        case "journal": bytes(of: "journal")
        case "forged": forgery()
        case "store": storeLines()
        case "page": page()
        case "file": random.once(in: 3) ? planted() : bytes(of: random.pick(files))
        case "swap": swap()
        case "folder": wholeFolder()
        default: keyFile()
        }
    }

    // MARK: - Bytes

    private mutating func bytes(of file: String) -> Mutation {
        bytes(at: Templates.path(file))
    }

    /// Changes bytes of a file, without a key.
    private mutating func bytes(at path: String) -> Mutation {
        let old = tree[path] ?? []
        var new = old
        let text: String
        let mayShorten = !(isLive && path.hasSuffix("/revision"))
        switch random.pick("flip", "flip", "flips", "cut", "extend", "zero", "copy", "number", "number", "fill", "huge")
        {
        case "flip" where !old.isEmpty:
            let offset = location(in: old)
            new[offset] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            text = "a bit flipped at \(offset)"
        case "flips" where !old.isEmpty:
            for _ in 0..<Int.random(in: 2...40, using: &random) {
                new[location(in: old)] ^= UInt8.random(in: 1...255, using: &random)
            }
            text = "many bytes changed"
        case "cut" where mayShorten:
            let count = random.once(in: 5) ? 0 : Int.random(in: 0...old.count, using: &random)
            new.removeLast(old.count - count)
            text = "cut to \(count)"
        case "extend":
            let count = random.pick(1, 8, 4_096, 70_000, 1 << 21)
            let byte: UInt8 = random.pick(0, 0xFF, 0x53)
            new += [UInt8](repeating: byte, count: count)
            text = "extended by \(count) times \(byte)"
        case "zero" where !old.isEmpty, "fill" where !old.isEmpty:
            let range = range(in: old)
            let byte: UInt8 = random.pick(0, 0, 0xFF)
            for index in range { new[index] = byte }
            text = "\(range) filled with \(byte)"
        case "copy" where !old.isEmpty:
            let source = range(in: old)
            let target = Int.random(in: 0...(old.count - source.count), using: &random)
            new.replaceSubrange(target..<target + source.count, with: old[source])
            text = "\(source) copied to \(target)"
        case "huge":
            let count = random.pick(1 << 30, 1 << 40, 8 << 40)
            return Mutation(text: "\(path): made \(count) bytes long", path: path) { scene in
                let file = scene.folder + "/" + path
                if Disk.kind(of: file) == nil { Disk.write([], to: file) }
                Disk.setLength(count, of: file)
            }
        default:
            let (width, value) = (random.pick(1, 2, 4, 8, 8), JournalForgery.extreme(&random))
            let offset = (old.isEmpty ? 0 : location(in: old)) / width * width
            JournalForgery.put(value, width, at: offset, in: &new)
            text = "\(offset) = \(value) (\(width) bytes)"
        }
        return writing(new, to: path, text: text)
    }

    /// Somewhere in a file; at its beginning more often than elsewhere.
    private mutating func location(in bytes: [UInt8]) -> Int {
        let end = random.pick(64, 256, 4_096, bytes.count, used(bytes), used(bytes))
        return Int.random(in: 0..<max(min(end, bytes.count), 1), using: &random)
    }

    private func used(_ bytes: [UInt8]) -> Int { (bytes.lastIndex { $0 != 0 } ?? 0) + 1 }

    private mutating func range(in bytes: [UInt8]) -> Range<Int> {
        let start = location(in: bytes)
        let count = random.pick(1, 8, 48, 512, 4_096, 1 << 20)
        return start..<min(start + count, bytes.count)
    }

    private mutating func writing(_ new: [UInt8], to path: String, text: String) -> Mutation {
        let isNewFile = random.once(in: 3)
        let keepsLength = isLive && path.hasSuffix("/revision")
        var mutation = Mutation(text: "\(path): \(text)\(isNewFile ? " (in a new file)" : "")", path: path) { scene in
            let file = scene.folder + "/" + path
            if path.contains("/quarantine/") { Disk.makeFolder(scene.groupFolder + "/quarantine") }
            if isNewFile { Disk.replace(file, with: new) } else { Disk.write(new, to: file, keepsLength: keepsLength) }
        }
        // What an earlier mutation put there is gone.
        if path == Templates.path("journal") { mutation.journalOf = state }
        return mutation
    }

    /// The words of the shared page, whose places are known, at their extremes: what the page is, the word, what was told of
    /// and the note of the newest writer.
    private mutating func page() -> Mutation {
        let path = Templates.path("revision")
        var new = tree[path] ?? [UInt8](repeating: 0, count: 4_096)
        if random.once(in: 4) { return bytes(at: path) }
        let offset = random.pick(0, 8, 64, 64, 64, 72, 72, 80, 80, 88, 96, 104)
        let value = random.once(in: 2) ? random.pick(UInt64.max, UInt64.max - 1) : JournalForgery.extreme(&random)
        JournalForgery.put(value, 8, at: offset, in: &new)
        return writing(new, to: path, text: "\(offset) = \(value)")
    }

    // MARK: - With the key, or the checksum

    private mutating func forgery() -> Mutation {
        let path = Templates.path("journal")
        guard let key = ownKey, var forgery = JournalForgery(tree[path] ?? [], keyFile: tree[key] ?? []) else {
            return bytes(of: "journal")
        }
        var words: [String] = []
        for _ in 0..<random.pick(1, 1, 2) { words.append(forgery.forge(&random)) }
        var mutation = writing(forgery.bytes, to: path, text: words.joined(separator: "; "))
        mutation.isForged = true
        return mutation
    }

    private mutating func storeLines() -> Mutation {
        let path = Templates.path("store")
        let neighbour = StoreLines.value("group", in: tree[Scene.groups + "/" + Scene.sibling + "/store"] ?? []) ?? ""
        let (text, new) = StoreLines.mutated(tree[path] ?? [], neighbour: neighbour, &random)
        return writing(new, to: path, text: text)
    }

    // MARK: - Files of others

    /// A file of another state, of the group beside, or of an attacker's group.
    private mutating func swap() -> Mutation {
        let file = random.pick("journal", "journal", "journal", "store", "store", "revision", "lock", "leases")
        let path = Templates.path(file)
        let other = Int.random(in: templates.states.indices, using: &random)
        let source: (text: String, bytes: [UInt8]?, state: Int?) =
            switch random.pick("state", "state", "state", "sibling", "attacker", "elsewhere") {
            case "state": ("of the state “\(templates.states[other].name)”", templates.states[other].tree[path], other)
            case "sibling": ("of the group beside", tree[Scene.groups + "/" + Scene.sibling + "/" + file], nil)
            case "attacker":
                ("of an attacker", (random.pick(templates.attackers.map { $0[path] })) ?? nil, nil)
            default:
                (
                    "of the folder's \(file == "store" ? "journal" : "store")",
                    tree[Templates.path(file == "store" ? "journal" : "store")], nil
                )
            }
        var mutation = writing(source.bytes ?? [], to: path, text: source.text)
        if file == "journal" { mutation.journalOf = source.state }
        return mutation
    }

    /// Another journal over the one that is in use: of another state, of the group beside or of an attacker, with the page left
    /// as it is.
    private mutating func overwrite() -> Mutation {
        let path = Templates.path("journal")
        let other = Int.random(in: templates.states.indices, using: &random)
        let (text, bytes, state): (String, [UInt8]?, Int?) =
            switch random.pick("state", "state", "state", "state", "sibling", "attacker") {
            case "state":
                ("that of the state “\(templates.states[other].name)”", templates.states[other].tree[path], other)
            case "sibling": ("that of the group beside", tree[Scene.groups + "/" + Scene.sibling + "/journal"], nil)
            default: ("that of an attacker", random.pick(templates.attackers)[path], nil)
            }
        let isEmptied = random.once(in: 2)
        var mutation = Mutation(
            text: "\(path): \(text) written over it\(isEmptied ? ", emptied first" : "")",
            path: path
        ) { scene in
            let file = scene.folder + "/" + path
            if isEmptied { Disk.setLength(0, of: file) }
            Disk.write(bytes ?? [], to: file)
        }
        mutation.journalOf = state
        return mutation
    }

    /// Every file of the folder, as somebody puts back a backup, or a group of his own.
    private mutating func wholeFolder() -> Mutation {
        let folder = Scene.groups + "/" + Scene.group
        let other = Int.random(in: templates.states.indices, using: &random)
        let (text, files, state): (String, Tree, Int?)
        switch random.pick("state", "state", "state", "sibling", "attacker", "attacker") {
        case "state":
            let found = templates.states[other]
            (text, files, state) = ("the state “\(found.name)”", found.tree.below(folder), other)
        case "sibling": (text, files, state) = ("the group beside", moved(Scene.sibling), nil)
        default: (text, files, state) = ("an attacker's group", random.pick(templates.attackers).below(folder), nil)
        }
        // Who restores a backup leaves the shared page alone as often as not.
        let names = files.nodes.keys.filter { isLive || random.once(in: 2) ? !$0.hasSuffix("/revision") : true }
            .sorted()
        let inPlace = isLive || random.once(in: 2)
        var mutation = Mutation(text: "\(text)\(inPlace ? ", written in place" : "")", path: folder) { scene in
            for name in names {
                guard let bytes = files[name] else { continue }
                let file = scene.folder + "/" + name
                if inPlace { Disk.write(bytes, to: file) } else { Disk.replace(file, with: bytes) }
            }
        }
        mutation.journalOf = state
        return mutation
    }

    /// The files of another group, as if they were the attacked one's.
    private func moved(_ group: String) -> Tree {
        var files = Tree()
        let folder = Scene.groups + "/" + group + "/"
        for (path, node) in tree.nodes where path.hasPrefix(folder) {
            files.nodes[Templates.path(String(path.dropFirst(folder.count)))] = node
        }
        return files
    }

    // MARK: - Other files

    /// What lies apart from the data: key files, and whatever else is kept there for the group.
    private mutating func keyFile() -> Mutation {
        let apart = tree.nodes.keys.filter { $0.hasPrefix(Scene.apart) && tree[$0] != nil && isOwn($0) }.sorted()
        return apart.isEmpty ? bytes(of: "store") : bytes(at: random.pick(apart))
    }

    private func isOwn(_ path: String) -> Bool {
        let neighbour = StoreLines.value("group", in: tree[Scene.groups + "/" + Scene.sibling + "/store"] ?? []) ?? "-"
        return !path.contains(neighbour) && !path.contains(Scene.sibling)
    }

    private var ownKey: String? {
        guard let uuid = Templates.uuid(ofStateIn: tree) else { return nil }
        return tree.nodes.keys.first { $0.hasPrefix(Scene.apart) && $0.contains("/\(uuid)") && tree[$0]?.count == 32 }
    }

    /// Something else where a file should be.
    private mutating func planted() -> Mutation {
        let path = Templates.path(random.pick(files))
        let kind = random.pick("nothing", "an empty folder", "a pipe", "a link to the group beside", "a file for all")
        return Mutation(text: "\(path): \(kind)", path: path) { scene in
            let file = scene.folder + "/" + path
            let old = Disk.read(file) ?? []
            Disk.remove(file)
            Disk.plant(kind, at: file, old: old, beside: scene.folder + "/" + Scene.groups + "/" + Scene.sibling)
        }
    }
}
