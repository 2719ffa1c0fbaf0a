// SPDX-License-Identifier: Apache-2.0

/// The order in which a program changed files and made changes durable, held against what a cut of power must not undo.
///
/// Nothing may rest on what the disk may forget: a file is synced before it gets its name; what was changed before is
/// synced before a further name changes, before others are told on the shared page, before the program says that it is
/// done, and before it ends. Key files go only after the names in the folder of their group were seen durable.
struct SyncOrder {
    /// What is wrong, in the words of whoever has to mend it.
    private(set) var problems: [String] = []
    /// What happened to lasting files, in its order, for tests that want to see that it happened at all.
    private(set) var events: [String] = []

    private let root: String
    /// What the disk may forget, and since which line.
    private var unsynced: [String: Int] = [:]
    private var synced: Set<String> = []

    /// Reads a trace.
    ///
    /// - Parameters:
    ///   - trace: what strace wrote.
    ///   - root: the folder below which files count.
    ///   - currentFolder: where the program was started.
    init(of trace: [String], below root: String, startedIn currentFolder: String = "/") {
        self.root = root
        let calls = SystemCall.all(in: trace)
        var changes = FileChanges(currentFolder: currentFolder)
        var waiting: [(line: Int, change: FileChange, begun: Int)] = []
        for call in calls {
            settle(&waiting, before: call.lines.lowerBound)
            guard let change = changes.change(by: call), call.isDone else { continue }
            let (begin, end) = (call.lines.lowerBound, call.lines.upperBound)
            if case .sync = change {
                // It holds from its end on, for what was there at its beginning. One that never ended holds for nothing.
                if call.result != nil { waiting.append((end, change, begin)) }
            } else {
                apply(change, at: begin)
                // It may still go on until its end, and a sync meanwhile may miss it.
                if end > begin, case .write = change { waiting.append((end, change, end)) }
            }
        }
        settle(&waiting, before: .max)
    }

    private mutating func settle(_ waiting: inout [(line: Int, change: FileChange, begun: Int)], before line: Int) {
        for (_, change, begun) in waiting.filter({ $0.line < line }).sorted(by: { $0.line < $1.line }) {
            apply(change, at: begun)
        }
        waiting.removeAll { $0.line < line }
    }

    private mutating func apply(_ change: FileChange, at line: Int) {
        switch change {
        case .write(let path) where counts(path):
            if role(path) == .hint {
                if name(path) == "revision" { demandDurability("others were told") }
                return
            }
            unsynced[path] = line
            note("write", path)
        case .sync(let path) where counts(path):
            if let since = unsynced[path], since <= line { unsynced[path] = nil }
            synced.insert(path)
            note("sync", path)
        case .make(let path) where counts(path) && role(path) == .lasting:
            demandDurability("\(short(path)) was made")
            unsynced[folder(path)] = line
            note("make", path)
        case .rename(let old, let new) where counts(new):
            let content = unsynced.removeValue(forKey: old)
            guard role(new) == .lasting else {
                // A file that loses its lasting name is gone for whoever opens the group.
                if counts(old), role(old) == .lasting {
                    demandDurability("\(short(old)) was removed")
                    unsynced[folder(old)] = line
                    note("remove", old)
                }
                return
            }
            if content != nil { problems.append("\(short(new)) was put in place before it was synced") }
            demandDurability("\(short(new)) was put in place")
            unsynced[folder(new)] = line
            if folder(old) != folder(new) { unsynced[folder(old)] = line }
            note("put", new)
        case .remove(let path) where counts(path):
            unsynced[path] = nil
            guard role(path) == .lasting else { return }
            demandDurability("\(short(path)) was removed")
            if folder(path).hasSuffix("/.keys"), !synced.contains(where: { isGroup($0) }) {
                problems.append("the key file \(short(path)) was removed before the folder of a group was synced")
            }
            unsynced[folder(path)] = line
            note("remove", path)
        case .say: demandDurability("the program said something")
        case .end: demandDurability("the program ended")
        default: break
        }
    }

    private mutating func demandDurability(_ happened: String) {
        for path in unsynced.keys.sorted() where role(path) == .lasting {
            problems.append("\(happened) before \(short(path)) was synced")
        }
    }

    private mutating func note(_ event: String, _ path: String) {
        if role(path) == .lasting { events.append("\(event) \(short(path))") }
    }

    // MARK: - Paths

    private enum Role { case lasting, temporary, hint }

    private func role(_ path: String) -> Role {
        let name = name(path)
        // Nothing rests on these after a cut of power: locks end with their processes, the page is a hint, and the list of
        // items in a keyring counts for one run of the machine only.
        if ["lock", "leases", "revision", "items"].contains(name) { return .hint }
        return name.hasPrefix("tmp.") || name.wholeMatch(of: /\..+\.[0-9a-f]+/) != nil ? .temporary : .lasting
    }

    private func counts(_ path: String) -> Bool { path == root || path.hasPrefix(root + "/") }
    private func isGroup(_ path: String) -> Bool { folder(path) == root && !name(path).hasPrefix(".") }
    private func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? "" }
    private func folder(_ path: String) -> String { "/" + path.split(separator: "/").dropLast().joined(separator: "/") }

    private func short(_ path: String) -> String {
        path == root ? "the root" : String(path.dropFirst(root.count + 1))
    }
}
