// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import SeededRandom
import TokenCaching

/// What one case found.
struct Finding: Error {
    enum Kind: String {
        /// Something that verified before is gone.
        case destroyed
        /// A file that no call of this kind may touch was changed.
        case touched
        /// Something was given that is not the group's.
        case fooled
        /// A secret stands where none may stand.
        case shown
        /// An acknowledged save is not there.
        case lost
        /// A program ended as none may end.
        case ended
        /// Someone who signed out is back.
        case returned
    }

    let kind: Kind
    let sentence: String
}

/// One case: a state of the group, what was done to its files, and what the library makes of it.
struct Trial {
    let scene: Scene
    let templates: Templates
    let state: Templates.State
    let mutations: [Mutation]
    /// Whether the group was open before.
    let isLive: Bool
    private(set) var random: SeededGenerator
    /// Hears of each step before it is made.
    let note: (String) -> Void
    private let session = Session(name: Scene.group)
    /// What was done, and what came of it.
    private var course: [String] = []
    private var saveCount = 0
    /// Who was signed out: their boxes may be gone.
    private var signedOut: BoxBytes.Accounts = []
    private var wasReadable = false
    private let failure = Failure()

    /// The newest error.
    private final class Failure {
        var text = ""
    }

    init(_ scene: Scene, _ templates: Templates, seed: UInt64, mask: UInt64, note: @escaping (String) -> Void) {
        var random = SeededGenerator(seed: seed)
        // Neighbouring seeds begin alike.
        for _ in 0..<4 { _ = random.next() }
        let index = Int.random(in: templates.states.indices, using: &random)
        isLive = random.once(in: 4)
        var mutator = Mutator(
            templates: templates,
            state: index,
            isLive: isLive,
            random: SeededGenerator(seed: random.next())
        )
        let all = mutator.mutations()
        mutations = all.enumerated().filter { mask >> UInt64($0.offset) & 1 == 1 }.map(\.element)
        self.random = SeededGenerator(seed: random.next())
        self.scene = scene
        self.templates = templates
        state = templates.states[index]
        self.note = note
    }

    var text: String {
        "state “\(state.name)”\(isLive ? ", open meanwhile" : "")"
            + mutations.map { "\n    " + $0.text }.joined()
    }

    // MARK: - Course

    mutating func run() throws(Finding) {
        note("restore")
        state.tree.restore(to: scene.folder)
        if isLive { try meetMutations() } else { mutate() }
        let before = scene.tree
        note("read")
        let found = readable(session)
        try checkForeign(found)
        try lookAround()
        try checkUntouched(by: "reading", since: before, journalToo: true)
        var owed = found ?? []
        wasReadable = found != nil
        for step in steps() { try take(step, &owed) }
        try checkUntouched(by: "all of it", since: before, journalToo: false)
    }

    func mutate() {
        for mutation in mutations { mutation.apply(scene) }
    }

    private mutating func steps() -> [String] {
        var steps = ["save"]
        let others = ["sign out", "compact", "rekey", "repair", "repair", "clear expired", "save", "verify"]
        for _ in 0..<random.pick(0, 1, 1, 2) { steps.append(random.pick(others)) }
        if random.once(in: 2) { steps.swapAt(0, steps.count - 1) }
        return steps
    }

    private mutating func take(_ step: String, _ owed: inout Set<String>) throws(Finding) {
        note(step)
        saveCount += 1
        let (number, version) = (20 + saveCount, saveCount)
        let account = Int.random(in: 0..<Templates.accounts - 1, using: &random)
        if step == "sign out" { signedOut.insert(BoxBytes.Accounts(account)) }
        var boxes = intactBoxes(without: signedOut)
        let isDone = attempt { () throws(TokenCacheError) in
            switch step {
            case "save": try session.take(Templates.people.document(number..<number + 1, version: version))
            case "sign out": try session.signOut(Templates.people.id(account))
            case "compact": try session.change { group throws(TokenCacheError) in try group.compact() }
            case "rekey": try session.change { group throws(TokenCacheError) in _ = try group.rekey() }
            case "repair": try Self.repair(&boxes)
            case "verify": try session.change { group throws(TokenCacheError) in _ = try group.verify() }
            default:
                try session.change { group throws(TokenCacheError) in
                    _ = try group.clear(matching: EntryFilter(expiry: .expired(by: WallClock.system.now())))
                }
            }
        }
        course.append(isDone ? step : "no " + step)
        switch step {
        case "save" where isDone: owed.formUnion(Templates.people.secrets(number, version: version))
        case "sign out": owed = owed.filter { !$0.hasPrefix(Templates.people.flags(account)) }
        default: break
        }
        note("after " + step)
        let there = readable(session)
        try checkForeign(there)
        // With the key one may say what one likes; whatever it was, it was no accident.
        if isForged { return }
        if let there, !there.isSuperset(of: owed) {
            let gone = owed.subtracting(there).sorted().prefix(3).joined(separator: ", ")
            throw Finding(kind: .lost, sentence: "after “\(course.joined(separator: ", "))” there is no \(gone)")
        }
        if there == nil, wasReadable, isDone {
            throw Finding(
                kind: .lost,
                sentence: "after “\(course.joined(separator: ", "))” the group cannot be read any more: \(failure.text)"
            )
        }
        if step == "save", isDone, there == nil, !holds(number, version: version) {
            throw Finding(
                kind: .lost,
                sentence: "after “\(course.joined(separator: ", "))” the token is not there: \(failure.text)"
            )
        }
        wasReadable = there != nil
        if step == "sign out", isDone, let there,
            let back = there.first(where: { $0.hasPrefix(Templates.people.flags(account)) })
        {
            throw Finding(kind: .returned, sentence: "after the sign-out there is \(back)")
        }
        // New keys, new boxes.
        if step == "rekey" && isDone { return }
        let missing = boxes.missing(from: keptFiles)
        if missing > 0 {
            throw Finding(
                kind: .destroyed,
                sentence:
                    "after “\(course.joined(separator: ", "))” \(missing) of \(boxes.count) pieces of boxes are nowhere any more"
            )
        }
    }

    /// Repairs, and leaves of the boxes those that it has to keep, in the journal or aside: all, unless it found records
    /// that had been removed before.
    private static func repair(_ boxes: inout BoxBytes) throws(TokenCacheError) {
        if try GroupReference(Scene.group).repair().removedCount > 0 { boxes = BoxBytes() }
    }

    // MARK: - A group that is open

    private static let signIn = TokenRequest(
        environment: People.host,
        tenant: People.tenant,
        scopes: ["s"],
        grant: .interactive
    )

    /// Somebody works with the group while its files are changed.
    private mutating func meetMutations() throws(Finding) {
        let (number, version) = (50, Int.random(in: 1..<1_000, using: &random))
        note("open")
        let group: CacheGroup
        let cache: TokenCache
        do throws(TokenCacheError) {
            group = try session.open(.readWrite)
            _ = try Session.export(group)
            cache = try session.cache()
            _ = try cache.accounts()
        } catch {
            throw Finding(kind: .ended, sentence: "an untouched group does not open: \(error)")
        }
        defer {
            group.close()
            cache.close()
        }
        mutate()
        let met = scene.tree
        // Who comes meanwhile tells the open group more than it would find by itself.
        if random.once(in: 2) {
            note("read beside it")
            _ = readable(session)
        }
        let boxes = intactBoxes()
        note("save into what was open")
        // An import reads the journal anew, a cache goes on with what it knows.
        let imports = random.once(in: 3)
        let isSaved = attempt { () throws(TokenCacheError) in
            if imports {
                let document = Templates.people.document(number..<number + 1, version: version)
                _ = try group.importEntries(from: .bytes(document))
            } else {
                let response = try TokenResponse(json: Templates.people.response(number, version: version))
                _ = try cache.save(response, for: Self.signIn)
            }
        }
        note("read what was open")
        let secrets = attemptResult { () throws(TokenCacheError) in try Session.export(group) }
        try checkForeign(secrets)
        if isForged { return }
        let missing = boxes.missing(from: keptFiles)
        if missing > 0 {
            throw Finding(
                kind: .destroyed,
                sentence: "an open group destroyed \(missing) of \(boxes.count) pieces of boxes"
            )
        }
        try compare(with: met, saved: isSaved ? Templates.people.secrets(number, version: version) : nil)
    }

    /// What is there after an open group was saved into, beside what somebody would have found who came before that.
    private func compare(with met: Tree, saved: Set<String>?) throws(Finding) {
        note("read after it")
        let after = readable(session)
        let reason = failure.text
        let left = scene.tree
        var before: Set<String>?
        if met.isComplete, left.isComplete {
            note("read before it")
            met.restore(to: scene.folder)
            before = readable(session)
            left.restore(to: scene.folder)
        }
        // What counted as a torn transaction before is damage behind an acknowledged one, and a repair brings back the rest.
        var found = after
        if after == nil {
            note("repair after it")
            _ = attempt { () throws(TokenCacheError) in _ = try GroupReference(Scene.group).repair() }
            found = readable(session)
        }
        // A file that the mutation opened to other users is refused, and its content is as it was.
        if before != nil, found == nil, !reason.contains("other users") {
            throw Finding(
                kind: .destroyed,
                sentence: "what was readable is not since an open group saved into it: \(reason)"
            )
        }
        // A newcomer takes a damaged last transaction for one that was torn, and finds the versions that it replaced. Where the open group
        // knew of it, it counts: what can be read of it is found, and no older version comes back for what cannot.
        if let known = before, let found, !found.isDisjoint(with: state.secrets.subtracting(known)) {
            before = known.intersection(state.secrets)
        }
        if let before, let found, !found.isSuperset(of: before) {
            let gone = before.subtracting(found).sorted().prefix(3).joined(separator: ", ")
            throw Finding(kind: .destroyed, sentence: "an open group wrote over what was readable: \(gone)")
        }
        if let saved, let found, !found.isSuperset(of: saved) {
            throw Finding(kind: .lost, sentence: "what an open group acknowledged is not there")
        }
    }

    // MARK: - Looking

    /// All secrets that are given, or nil where there was an error, which must not show any.
    private func readable(_ session: Session) -> Set<String>? {
        attemptResult { () throws(TokenCacheError) in try session.export() }
    }

    private func attempt(_ body: () throws(TokenCacheError) -> Void) -> Bool { attemptResult(body) != nil }

    private func attemptResult<Result>(_ body: () throws(TokenCacheError) -> Result) -> Result? {
        do throws(TokenCacheError) {
            return try body()
        } catch {
            let text = "\(error) \(String(reflecting: error)) \(error.detail ?? "")"
            failure.text = text
            note(text.contains(People.canary) ? Self.shownMark + text : "failed: \(error.code)")
            return nil
        }
    }

    /// Whether a lookup gives the access token of an account.
    private func holds(_ number: Int, version: Int) -> Bool {
        attemptResult { () throws(TokenCacheError) in try session.accessToken(of: Templates.people.id(number)) }
            .map { text in Templates.people.secrets(number, version: version).contains { text?.hasPrefix($0) == true } }
            ?? false
    }

    /// Stands at the beginning of a step that shows a secret.
    static let shownMark = "shows a secret: "

    private func lookAround() throws(Finding) {
        note("list")
        _ = attemptResult { () throws(TokenCacheError) in try CacheGroup.list() }
        note("accounts")
        _ = attempt { () throws(TokenCacheError) in
            // As applications open it, for reading.
            let group = try session.open(.readOnly)
            defer { group.close() }
            _ = try group.verify()
            _ = try group.keySlots()
            _ = try group.statistics()
        }
        note("dry run")
        _ = attempt { () throws(TokenCacheError) in _ = try GroupReference(Scene.group).repair(isDryRun: true) }
    }

    // MARK: - Judging

    var isForged: Bool { mutations.contains(where: \.isForged) }

    /// Boxes whose bytes stand where they stood in the state that the journal is of, but what goes with the sign-out of these
    /// accounts.
    func intactBoxes(without signedOut: BoxBytes.Accounts = []) -> BoxBytes {
        let origin = mutations.last { $0.journalOf != nil }?.journalOf.map { templates.states[$0] } ?? state
        return origin.boxes.intact(in: Disk.read(scene.groupFolder + "/journal") ?? [], without: signedOut)
    }

    /// The journal and everything that was set aside.
    var keptFiles: [[UInt8]] {
        var files = [Disk.read(scene.groupFolder + "/journal") ?? []]
        let quarantine = scene.groupFolder + "/quarantine"
        for name in Disk.names(in: quarantine) { files.append(Disk.read(quarantine + "/" + name) ?? []) }
        return files
    }

    func checkForeign(_ secrets: Set<String>?) throws(Finding) {
        guard let secrets else { return }
        if let foreign = secrets.first(where: { !$0.hasPrefix(People.canary + Scene.group) }) {
            throw Finding(kind: .fooled, sentence: "the group gives \(foreign)")
        }
    }

    /// The group beside and its keys are never touched; by reading, the attacked one is not either.
    func checkUntouched(by what: String, since before: Tree, journalToo: Bool) throws(Finding) {
        let neighbour =
            StoreLines.value("group", in: before[Scene.groups + "/" + Scene.sibling + "/store"] ?? []) ?? "-"
        for path in before.differences(to: scene.tree) {
            let isNeighbours = path.hasPrefix(Scene.groups + "/" + Scene.sibling + "/") || path.contains(neighbour)
            let isOwn = journalToo && [Templates.path("journal"), Templates.path("store")].contains(path)
            if isNeighbours || isOwn || journalToo && path.hasPrefix(Scene.apart) {
                throw Finding(kind: .touched, sentence: "\(what) changed \(path)")
            }
        }
    }
}
