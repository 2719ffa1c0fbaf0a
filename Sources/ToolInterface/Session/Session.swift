// SPDX-License-Identifier: Apache-2.0

public import CacheAdministration
import Glibc
public import TokenCaching

/// One run of a command: its group, its output, and what unlocks the group.
public final class Session {
    /// The output of the run.
    public let console: Console
    /// Asks the user.
    public let prompt: Prompt
    /// Whether the output is one JSON document.
    public let usesJSON: Bool
    /// The options that name the shown cache of another library; nil if a group is shown.
    public var shownDocument: String?
    private let options: GroupOptions
    /// The timeout of the whole command.
    private let time: SharedTimeout
    private let commandNames: [String]
    private let passphrases = PassphraseSources()

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - group: the group.
    ///   - output: how to write.
    ///   - commandNames: each command of the program as it is typed behind it, longer ones first.
    public init(_ group: GroupOptions, _ output: OutputOptions, commandNames: [String]) {
        self.commandNames = commandNames
        options = group
        console = Console(isQuiet: output.quiet, isWide: output.wide)
        let time = SharedTimeout(group.timeout.duration)
        self.time = time
        prompt = Prompt(console, isForbidden: output.noPrompt) { time.restart() }
        usesJSON = output.json
    }

    /// The name of the group.
    public var groupName: String { options.group ?? GroupOptions.standardGroup }

    /// The name of the group, if one was typed.
    public var typedGroupName: String? { options.group }

    /// The folder of the groups; nil for the user's own.
    public var root: String? { options.root }

    /// The time left for waiting.
    private var timeout: Duration { time.remaining }

    /// Opens the group, which must exist.
    ///
    /// - Parameter access: how to open it.
    /// - Returns: the open group.
    /// - Throws: errors of the library; for a missing group with the names of the existing ones.
    public func open(_ access: GroupAccess) throws -> CacheGroup {
        if options.storage == .memory {
            throw CommandFailure(
                .noBackend,
                "Group \(groupName) is not in memory: such a group ends with the program that made it. "
                    + "Leave --storage out."
            )
        }
        for _ in 1..<Self.passphraseTries {
            do throws(TokenCacheError) {
                return remarkingLeftover(try open(access, storage))
            } catch {
                // Whoever mistyped a passphrase types it again here, and not at the shell, which would show it.
                guard error.code == .keyRejected, passphrases.forgetTyped() else { throw explained(error) }
                console.warn("this passphrase does not open the group. Try again.")
                time.restart()
            }
        }
        do throws(TokenCacheError) {
            return remarkingLeftover(try open(access, storage))
        } catch {
            throw explained(error)
        }
    }

    private static let passphraseTries = 3

    /// Prints the reason that remains of an earlier migration could not be removed.
    private func remarkingLeftover(_ group: CacheGroup) -> CacheGroup {
        if let problem = group.leftoverProblem {
            console.remark(
                "Some data remains in the store that the group was migrated from, and could not be removed. \(problem)"
            )
        }
        return group
    }

    /// Opens the group, creating it if it does not exist.
    public func openOrCreate() throws(TokenCacheError) -> CacheGroup {
        do throws(TokenCacheError) {
            return remarkingLeftover(try open(.readWrite, storage))
        } catch {
            guard error.code == .notFound else { throw error }
        }
        do throws(TokenCacheError) {
            return try open(.create, storage(isNew: true))
        } catch {
            if error.code != .busy { removeBeginnings() }
            throw error
        }
    }

    /// Removes what is left of a group whose creation failed: nothing was ever stored in it.
    private func removeBeginnings() {
        let state = (try? CacheGroup.list(root: root))?.first { $0.name == groupName }?.state
        guard state == .creating || state == .empty else { return }
        time.restart()
        _ = try? remove(groupName, isDryRun: false)
    }

    /// The cache of an app. Each of its calls has the whole timeout: between them, servers and users take the time that they need.
    public func cache(of group: CacheGroup, clientID: String) throws(TokenCacheError) -> TokenCache {
        try group.tokenCache(clientID: clientID, options: TokenCacheOptions(timeout: options.timeout.duration))
    }

    /// Removes the group if this run made it and nothing is in it: no command leaves a group behind that fails.
    public func removeIfUnused(_ group: CacheGroup) {
        time.restart()
        _ = try? group.removeIfUnused()
    }

    private func open(_ access: GroupAccess, _ storage: StorageChoice) throws(TokenCacheError) -> CacheGroup {
        try CacheGroup.open(
            groupName,
            root: root,
            storage: storage,
            fallbackUnlocking: [passphrase(from: nil)],
            access: access,
            sharing: time,
            prompts: prompts
        )
    }

    /// Opens a group for reading without asking anybody for anything.
    public func openQuietly(_ name: String) throws(TokenCacheError) -> CacheGroup {
        // One group that hangs does not take the time of the others.
        time.restart()
        return try CacheGroup.open(
            name,
            root: root,
            storage: namesKey ? storage : .automatic,
            access: .readOnly,
            sharing: time
        )
    }

    /// Recovers what verifies of the group. Only `--storage` says that its records are in the file: a key does not.
    public func repair(isDryRun: Bool) throws(TokenCacheError) -> RepairReport {
        var others = namedWays
        if others.isEmpty { others = [.keyring(collection: options.collection), passphrase(from: nil)] }
        let summary = try CacheGroup.repair(
            groupName,
            root: root,
            storage: options.storage == .automatic ? .automatic : storage,
            fallbackUnlocking: others,
            isDryRun: isDryRun,
            timeout: timeout,
            prompts: prompts
        )
        // Examining a journal is work, not waiting.
        time.restart()
        return summary
    }

    /// Removes a group, or reports what would be removed. Nobody is asked for a passphrase: a key is needed only if nothing
    /// else shows what belongs to the group.
    public func remove(_ name: String, isDryRun: Bool) throws(TokenCacheError) -> GroupRemovalReport {
        let report = try CacheGroup.remove(
            name,
            root: root,
            storage: namesKey ? storage : .automatic,
            isDryRun: isDryRun,
            timeout: timeout,
            prompts: prompts
        )
        // Removing items one by one is work, not waiting.
        time.restart()
        return report
    }

    /// Has the keyring unlock the collection of the group. It may prompt even if nobody is at this terminal: it has a screen of
    /// its own.
    public func unlockKeyring(mayPrompt: Bool) throws(TokenCacheError) -> KeyringUnlockReport {
        try CacheGroup.unlockKeyring(
            of: groupName,
            root: root,
            collection: options.collection,
            timeout: timeout,
            prompts: mayPrompt ? .allowed() : .never
        )
    }

    /// Checks everything that the group depends on.
    public func examine(
        probesWriting: Bool,
        checksAllRecords: Bool,
        requiresUsableAccounts: Bool,
        progress: @escaping ProgressHandler
    ) throws(TokenCacheError) -> [ExaminationFinding] {
        try CacheGroup.examine(
            groupName,
            root: root,
            storage: storage,
            fallbackUnlocking: [passphrase(from: nil)],
            timeout: timeout,
            prompts: prompts,
            probesWriting: probesWriting,
            checksAllRecords: checksAllRecords,
            requiresUsableAccounts: requiresUsableAccounts,
            progress: progress
        )
    }

    /// Accepts the file of the group as it is.
    public func acceptRollback() throws(TokenCacheError) -> RepairReport? {
        try CacheGroup.acceptRollback(
            groupName,
            root: root,
            storage: storage,
            fallbackUnlocking: [passphrase(from: nil)],
            timeout: timeout,
            prompts: prompts
        )
    }

    /// Adopts a group of the keyring, or the one in the folder, repairing it if it is damaged.
    public func adopt() throws(TokenCacheError) -> RepairReport? {
        let isNew = try !CacheGroup.list(root: root).contains { $0.name == groupName }
        do throws(TokenCacheError) {
            return try CacheGroup.adopt(
                groupName,
                root: root,
                collection: options.collection,
                storage: namesKey ? storage : .automatic,
                fallbackUnlocking: [passphrase(from: nil)],
                timeout: timeout,
                prompts: prompts
            )
        } catch {
            if isNew { removeBeginnings() }
            throw error
        }
    }

    /// Migrates the group to another kind of store.
    public func migrate(to target: StorageChoice, progress: @escaping ProgressHandler) throws(TokenCacheError)
        -> MigrationReport
    {
        try CacheGroup.migrate(
            groupName,
            root: root,
            to: target,
            storage: namesKey ? storage : .automatic,
            fallbackUnlocking: [passphrase(from: nil)],
            timeout: timeout,
            prompts: prompts,
            progress: progress
        )
    }

    /// If a user is at the terminal, the keyring may prompt them too.
    private var prompts: KeyringPrompts { prompt.isPossible ? .allowed() : .never }

    /// Whether the command line says what unlocks the group, or that it is kept in memory.
    private var namesKey: Bool {
        options.keyFile != nil || options.passphraseFd != nil || options.storage == .memory
    }

    /// Where the group is, and what unlocks it, according to the options.
    public var storage: StorageChoice { storage(isNew: false) }

    private func storage(isNew: Bool) -> StorageChoice {
        options.storage.choice(
            keys: namedWays,
            // Whatever opens by itself, otherwise a passphrase if prompting is possible.
            otherwise: [.keyFile, .keyring(collection: options.collection), passphrase(from: nil)],
            collection: options.collection,
            isNew: isNew
        )
    }

    /// The keys that the options name.
    private var namedWays: [FileUnlocking] {
        var ways: [FileUnlocking] = []
        if let path = options.keyFile { ways.append(.keyFile(path: path)) }
        if let descriptor = options.passphraseFd { ways.append(passphrase(from: descriptor)) }
        return ways
    }

    /// A passphrase that is to open the group from now on: prompted for twice.
    public func newPassphrase(from descriptor: Int32?) -> FileUnlocking {
        passphrase(from: descriptor, isNew: true)
    }

    /// Whether the given secrets open a slot, so that a change of keys can keep it.
    public func canKeep(_ slot: SlotSummary) -> Bool {
        slot.kind.isFoundByLibrary || slot.kind == .keyFile && options.keyFile != nil && slot.keyFilePath != nil
            || slot.kind == .passphrase && options.passphraseFd != nil
    }

    private func passphrase(from descriptor: Int32?, isNew: Bool = false) -> FileUnlocking {
        let source = passphrases.source(descriptor, mayAsk: prompt.isPossible, isNew: isNew)
        return .passphrase { request throws(TokenCacheError) in try source.answer(request) }
    }

    /// Where groups are searched for, to display.
    public var shownRoot: String { root ?? CacheGroup.standardRoot ?? "the standard root" }

    /// An error of the library, unchanged except for a missing key, which is explained with the options that provide
    /// one, and a missing group, which is explained with the existing ones.
    ///
    /// - Parameters:
    ///   - error: the error of the library.
    ///   - triedCopies: whether the copy of the key slots was tried, too, as `doctor` and `repair` do.
    /// - Returns: what to throw in its place.
    public func explained(_ error: TokenCacheError, triedCopies: Bool = false) -> any Error {
        if let failure = error.failureOfOwnCode { return failure }
        if error.code == .keyMissing { return keyMissing(error) }
        if error.code == .keyRejected || error.code == .keyFileInvalid, !namesKey, let path = error.path {
            return CommandFailure(
                .locked,
                "The group's own key file does not open it (\(path)): it was changed or replaced, the folder is from before "
                    + "a change of keys, or its key slots are damaged.",
                advice: (triedCopies
                    ? "Restore" : "Run cachetool doctor to see whether cachetool repair mends it. If not, restore")
                    + " the key file from a backup, or open the group with --key-file or --passphrase-fd; if no key "
                    + "is left, move \(shownRoot)/\(groupName) away to start over."
            )
        }
        guard error.code == .notFound, let groups = try? CacheGroup.list(root: root) else { return error }
        let others = groups.filter { $0.state != .empty }.map(\.name)
        // The group exists, so something else does not.
        if others.contains(groupName) { return error }
        if (try? CacheGroup.isInKeyring(groupName, timeout: timeout)) == true {
            return CommandFailure(
                .notFound,
                "The keyring has a group \(groupName), whose folder is another one, or is gone.",
                advice: "To give the group to \(shownRoot)/\(groupName), run cachetool repair --adopt."
            )
        }
        if groups.contains(where: { $0.name == groupName }) {
            return CommandFailure(
                .notFound,
                "Group \(groupName) is empty.",
                advice: "The next sign-in fills it, or cachetool import FILE."
            )
        }
        let text = "There is no group \(groupName)"
        if others.isEmpty {
            return CommandFailure(
                .notFound,
                text + " under \(shownRoot).",
                advice: "Make it with cachetool import FILE, or name another folder with --root."
            )
        }
        let shown = others.prefix(8).joined(separator: ", ") + (others.count > 8 ? ", …" : "")
        return CommandFailure(
            .notFound,
            text + ". There are: \(shown).",
            advice: "Name one with --group, or make this one with cachetool import FILE."
        )
    }

    /// A finding with its error explained, and with the group named in each command that it advises.
    public func explained(_ finding: ExaminationFinding) -> ExaminationFinding {
        let failure = finding.error.flatMap { explained($0, triedCopies: true) as? CommandFailure }
        return ExaminationFinding(
            finding.topic,
            level: finding.level,
            text: failure?.problem ?? finding.text,
            advice: (failure?.advice ?? finding.advice).map(advised.completed),
            since: finding.since
        )
    }

    /// Completes the commands in messages.
    public var advised: AdvisedCommands { advised(group: options.group) }

    /// The same for another group.
    public func advised(group: String?) -> AdvisedCommands {
        AdvisedCommands(group: group, root: root, names: commandNames, document: shownDocument)
    }

    /// The error, with the group named in each command that it advises.
    public func completed(_ error: any Error) -> any Error {
        switch error {
        case let failure as CommandFailure:
            return CommandFailure(
                failure.status,
                advised.completed(failure.problem),
                advice: failure.advice.map(advised.completed)
            )
        case let error as TokenCacheError where error.code == .homeMissing:
            return CommandFailure(.usage, error.description.dropLast() + " with --root.")
        case let error as TokenCacheError
        where error.code != .cancelled && error.code != .invalidRequest && error.systemErrorNumber != EPIPE:
            let text = advised.completed(error.description)
            return text == error.description ? error : CommandFailure(ExitStatus(error.code), text)
        default: return error
        }
    }

    private func keyMissing(_ error: TokenCacheError) -> CommandFailure {
        let problem = String(error.description.dropLast(error.advice.count + 1))
        if namesKey {
            return CommandFailure(
                .locked,
                problem,
                advice:
                    "Restore what --key-file or --passphrase-fd names, or leave it out to use the group's own key file."
            )
        }
        return CommandFailure(
            .locked,
            problem,
            advice:
                "Restore the key file, or give another key with --key-file or a passphrase with --passphrase-fd; a key that is "
                + "lost for good takes the group with it: move \(shownRoot)/\(groupName) away to start over."
        )
    }

    /// Data that could not be written is an error; a reader that went away is not.
    public func finish() throws {
        console.flush()
        guard console.output.failure != 0 else { return }
        throw CommandFailure(
            .failure,
            "Standard output could not be written: \(Syscalls.message(for: console.output.failure))."
        )
    }
}
